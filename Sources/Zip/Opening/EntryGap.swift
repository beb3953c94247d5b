/// Checks the bytes between the data of an entry and the next record. They may be the descriptor of an entry that was
/// written before its sizes were known, and zeros that align the next entry. APPNOTE 4.3.9.
///
/// Programs that read an archive sequentially use the descriptor, and may find an entry there that is not in the
/// directory. Therefore a descriptor that contradicts the directory is refused, and so are other bytes.
struct EntryGap {
  /// More zeros than any alignment needs.
  static let maximumGap = 64 << 10

  /// True if the local header declares a descriptor.
  var isDeclared: Bool
  /// True if the local header lacks a number. Some programs set the flag although the header is complete.
  var isNeeded: Bool

  /// Returns true if `gap` may follow the entry's data.
  func fits(_ gap: UnsafeRawBufferPointer, after entry: Entry) -> Bool {
    guard isDeclared else { return gap.isZero }
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
