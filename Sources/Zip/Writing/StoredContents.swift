/// Provides the bytes of an archive's stored entries in pieces. The thread that runs `ArchiveWriter.write` calls it.
package protocol StoredContents: AnyObject {
  /// Waits for the next pieces, and returns them; nil after the last piece of the last entry. Their bytes stay valid until
  /// the next call.
  ///
  /// The pieces of an entry come in its order. Pieces of several entries may alternate in an archive that is not encrypted.
  /// In an encrypted one, the entries come one after the other, in the order in which they were added.
  func next() throws -> [StoredPiece]?
}

/// Bytes of a stored entry.
package struct StoredPiece {
  /// The number of the entry among the stored ones, from 0.
  package let entry: Int
  /// The bytes, which follow those of the entry's previous piece. Only the last piece may be empty.
  package let bytes: UnsafeRawBufferPointer
  /// True for the last piece of the entry.
  package let isLast: Bool

  /// Makes a piece.
  package init(entry: Int, _ bytes: UnsafeRawBufferPointer, isLast: Bool) {
    (self.entry, self.bytes, self.isLast) = (entry, bytes, isLast)
  }
}
