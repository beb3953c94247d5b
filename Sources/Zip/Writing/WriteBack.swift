import FileSystem

/// Lets the kernel write to the disk while the archive is written, so that the flush at its end is short.
struct WriteBack {
  let isOn: Bool
  private var range: Range<Int>?
  private var count = 0
  /// The bytes after which the kernel begins.
  private static let most = 8 << 20

  init(isOn: Bool) { self.isOn = isOn }

  /// Notes that bytes were written, or are about to be.
  mutating func add(_ written: Range<Int>) {
    guard isOn, !written.isEmpty else { return }
    count += written.count
    let range = range ?? written
    self.range =
      min(range.lowerBound, written.lowerBound)..<max(range.upperBound, written.upperBound)
  }

  mutating func start(in file: borrowing File) {
    guard count >= Self.most, let range else { return }
    file.startWriteBack(from: range.lowerBound, count: range.count)
    (self.range, count) = (nil, 0)
  }
}
