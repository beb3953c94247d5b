import Checksums
import FileSystem
import Operations
import Synchronization
import SystemPackage

extension PhotoPipeline {
  /// An item that cannot be archived.
  struct BadItem: Equatable, Sendable {
    /// The index in the list.
    var index: Int
    /// Why the item cannot be archived.
    var reason: ItemReason
  }

  /// Reads every item to its end, writes nothing, and returns the items for which `write` would fail, in the list's
  /// order. Blocks.
  ///
  /// - Throws: `CancellationError`.
  static func check(
    _ items: [PipelineItem], readers: Int = 2, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> [BadItem] {
    let bad = Mutex<[BadItem]>([])
    try Workers.forEach(0..<items.count, threads: readers, context: { try ReadBuffer() }) { index, buffer in
      if isCancelled() { throw CancellationError() }
      guard let reason = items[index].readFault(buffer.bytes, isCancelled) else { return }
      if case .file(let error) = reason, error.cause == .environment { throw error }
      bad.withLock { $0.append(BadItem(index: index, reason: reason)) }
    }
    if isCancelled() { throw CancellationError() }
    return bad.withLock { $0.sorted { $0.index < $1.index } }
  }

  private struct ReadBuffer: ~Copyable {
    let bytes: UnsafeMutableRawBufferPointer
    init() throws(MemoryShortage) { bytes = try .pages(byteCount: 1 << 20) }
    deinit { bytes.freePages() }
  }
}

extension PipelineItem {
  /// Reads the complete file. Returns nil if its length is as expected.
  fileprivate func readFault(
    _ buffer: UnsafeMutableRawBufferPointer, _ isCancelled: () -> Bool
  ) -> ItemReason? {
    do throws(FileError) {
      if isCancelled() { return nil }
      let file = try open()
      var position = 0
      while position <= size && !isCancelled() {
        // one byte more than expected, to detect a longer file
        let wanted = min(size - position + 1, buffer.count)
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        let count = try file.read(into: piece, at: position)
        position += count
        guard count < wanted else { continue }
        return position < size ? .tooShort(bytes: position) : nil
      }
      return isCancelled() ? nil : .tooLong
    } catch {
      return .file(error)
    }
  }
}
