import FileSystem
import Secrets

/// Writes an archive whose every entry is encrypted, through libzip.
enum EncryptedArchive {
  static func write(
    _ entries: [NewEntry], _ password: Secret, to file: borrowing File, _ placed: any PlacedContents,
    _ isCancelled: @escaping () -> Bool
  ) throws -> Int {
    let session = WriteSession(password: password)
    let handle = try WriteHandle(session)
    var placedCount = 0
    for (number, entry) in entries.enumerated() {
      let source: EntrySource
      switch entry.contents {
      case .placed(let size):
        source = EntrySource(session, entry: UInt64(number), .placed(index: placedCount, size: size))
        placedCount += 1
      case .text(let text):
        source = EntrySource(session, entry: UInt64(number), .text(text))
      }
      try handle.add(entry, source, password)
    }
    var open = Optional(handle)
    return try withUnsafePointer(to: file) { file in
      session.begin(file, placed, isCancelled)
      defer { session.end() }
      do {
        try open.take()?.close()
      } catch {
        throw session.failure ?? error
      }
      return session.sink.end
    }
  }
}
