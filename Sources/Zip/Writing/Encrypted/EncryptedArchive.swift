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
        let source: EntrySource.Contents
        switch entry.contents {
        case .stored(let size):
          source = .stored(index: number, size: size)
        case .text(let text, _):
          source = .text(text)
        }
        try handle.add(entry, EntrySource(session, entry: UInt64(number), source), password)
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
