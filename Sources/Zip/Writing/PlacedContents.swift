/// Provides the bytes of an archive's placed entries, which are stored.
///
/// Unless the archive is encrypted, the conforming type also writes these bytes into the file, at the given offset and
/// at any time before the file is used. This avoids a second copy. If the archive is encrypted, `ArchiveWriter` writes
/// every byte, and does not call `takeHeader`.
///
/// The thread that runs `ArchiveWriter.write` calls all functions, for one entry after the other, in the order in which
/// the entries were added.
package protocol PlacedContents: AnyObject {
  /// Begins an entry whose first byte belongs at `offset` of the file. `index` counts placed entries from 0.
  func open(_ index: Int, at offset: Int) throws

  /// Returns the next bytes of the entry, at least one. They must not change until the next call of `next` or `close`.
  /// Not called again after the declared number of bytes.
  func next() throws -> UnsafeRawBufferPointer

  /// Ends the entry, after its last byte or after an error.
  func close()

  /// Takes the entry's final local header, which belongs at `offset`. Returns true if the conforming type writes it
  /// together with the data. Returns false to let this thread write it at once, which may wait for another thread that
  /// writes to the same file.
  func takeHeader(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws -> Bool
}

extension PlacedContents {
  /// Leaves the header to `ArchiveWriter`.
  package func takeHeader(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool { false }
}
