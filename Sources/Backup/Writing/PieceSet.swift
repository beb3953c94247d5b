import FileSystem

/// A buffer with pieces of photos, or of a text. One thread fills it and hands it over through the monitor of `PhotoFeed`; then another
/// one writes the pieces, and hands it back. So only one of them uses it at a time.
final class PieceSet {
  /// Bytes of a photo or text.
  struct Piece {
    /// The index of the photo's item; 0 for a text.
    let item: Int
    /// The place of the bytes in the buffer.
    var range: Range<Int>
    /// True if the photo ends with them.
    var isLast: Bool
  }

  private let memory: UnsafeMutableRawBufferPointer
  /// In the order of the buffer.
  private(set) var pieces: [Piece] = []
  /// True if all photos, or the text, end with this set.
  var isLast = false
  /// The number of bytes that have a piece.
  var count: Int { pieces.last?.range.upperBound ?? 0 }

  init(bytes: Int) throws(MemoryShortage) { memory = try .pages(byteCount: bytes) }

  deinit { memory.freePages() }

  /// The bytes that have no piece yet.
  var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[count...]) }

  subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[range])
  }

  func removeAll() {
    pieces.removeAll(keepingCapacity: true)
    isLast = false
  }

  /// Adds the first bytes of the room to the last piece if that is of the same item, or as a new piece. Returns where all
  /// bytes of the item are.
  @discardableResult
  func add(_ bytes: Int, of item: Int, isLast: Bool) -> Range<Int> {
    let range = count..<count + bytes
    if let last = pieces.last, last.item == item {
      pieces[pieces.count - 1] = Piece(
        item: item, range: last.range.lowerBound..<range.upperBound, isLast: isLast)
    } else {
      pieces.append(Piece(item: item, range: range, isLast: isLast))
    }
    return pieces[pieces.count - 1].range
  }
}
