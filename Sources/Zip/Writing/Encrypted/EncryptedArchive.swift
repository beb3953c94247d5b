import FileSystem
import Secrets

/// Writes an archive with libzip in which every entry is encrypted.
enum EncryptedArchive {
  static func write(
    _ entries: [NewEntry], _ password: Secret, to file: borrowing File, _ placed: any PlacedContents,
    _ isCancelled: @escaping () -> Bool
  ) throws -> Int {
    try withUnsafePointer(to: file) { file in
      let session = WriteSession(file, placed, isCancelled)
      let handle = try WriteHandle(session)
      var placedCount = 0
      for (number, entry) in entries.enumerated() {
        let contents: EntrySource.Contents
        switch entry.contents {
        case .placed(let size):
          contents = .placed(index: placedCount, size: size)
          placedCount += 1
        case .text(let text, _):
          contents = .text(text)
        }
        try handle.add(entry, EntrySource(session, entry: UInt64(number), contents), password)
      }
      do {
        try handle.close()
      } catch {
        throw session.failure ?? error
      }
      return session.sink.end
    }
  }
}
