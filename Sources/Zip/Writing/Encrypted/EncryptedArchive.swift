import FileSystem
import Secrets

/// Writes an archive with libzip in which every entry is encrypted.
enum EncryptedArchive {
  static func write(
    _ entries: [NewEntry], _ password: Secret, to file: borrowing File, _ contents: any StoredContents,
    startsWriteBack: Bool, _ isCancelled: @escaping () -> Bool
  ) throws -> Int {
    try withUnsafePointer(to: file) { file in
      let session = WriteSession(
        file, contents, sizes: entries.compactMap(\.storedSize), startsWriteBack: startsWriteBack, isCancelled
      )
      let handle = try WriteHandle(session)
      for (number, entry) in entries.enumerated() {
        try handle.add(entry, EntrySource(session, number, entry.contents), password)
      }
      do {
        try handle.close()
      } catch {
        throw session.failure ?? error
      }
      try session.endStored()
      return session.sink.end
    }
  }
}
