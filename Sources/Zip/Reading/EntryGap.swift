/// What may stand between the data of an entry and the next record: the descriptor of an entry that was
/// written before its sizes were known, and zeros that move the next entry to a round place. APPNOTE 4.3.9.
///
/// Programs that read an archive forward take what stands there for the truth, or for an entry that the
/// directory does not have. So a descriptor that contradicts the directory is refused, and so is anything else.
struct EntryGap {
  /// Zeros of more than this many bytes are more than any alignment needs.
  static let maximumGap = 64 << 10

  /// Whether the local header promises a descriptor.
  var isPromised: Bool
  /// Whether the local header has left something to it. Some programs set the flag, and have said everything.
  var isNeeded: Bool

  /// Whether `gap` is what has to follow the entry's data.
  func fits(_ gap: UnsafeRawBufferPointer, after entry: Entry) -> Bool {
    guard isPromised else { return gap.isZero }
    if !isNeeded, gap.isZero { return true }
    let descriptor = DataDescriptor.find(
      gap, crc32: entry.crc32, compressedSize: entry.compressedSize, size: entry.size)
    guard let length = descriptor?.length else { return false }
    return gap.slice(length, gap.count - length).isZero
  }
}

extension UnsafeRawBufferPointer {
  var isZero: Bool { allSatisfy { $0 == 0 } }
}
