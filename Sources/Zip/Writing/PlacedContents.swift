/// Where the bytes of an archive's placed entries come from. Placed entries are stored; unless the archive is
/// encrypted, whoever conforms also writes their bytes into the file, at the offset told, by itself and at any time
/// before the file is used: they are not copied a second time. Of an encrypted archive
/// `ArchiveWriter` writes every byte, and `takeHeader` is not called.
///
/// All functions are called by the thread that runs `ArchiveWriter.write`, one entry after the other, in
/// the order in which the entries were added.
package protocol PlacedContents: AnyObject {
  /// The entry's turn has come, and its first byte belongs at `offset` of the file. `index` counts placed
  /// entries from 0.
  func open(_ index: Int, at offset: Int) throws

  /// The next bytes of the entry, of any number but 0. They must stay as they are until the next call to
  /// this or `close`. Not called again once as many bytes have come as were announced.
  func next() throws -> UnsafeRawBufferPointer

  /// The entry's bytes are done, or given up after an error.
  func close()

  /// The entry's local header, final now that the CRC is known: its place is at `offset`. Returns true
  /// if the header will be written along with the data; false to have it written at once by this
  /// thread, which then waits while another one writes to the same file.
  func takeHeader(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws -> Bool
}

extension PlacedContents {
  /// Leaves the header to `ArchiveWriter`.
  package func takeHeader(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool { false }
}
