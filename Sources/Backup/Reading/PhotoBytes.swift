import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// Where the bytes of a photo are.
enum PhotoBytes: Sendable {
  /// An entry of an archive, by index. The archive may be damaged. Indirect, so that an export needs less memory.
  indirect case entry(Int, of: Archive, password: Secret?)
  /// A file.
  case file(FilePath, open: @Sendable () throws(FileError) -> File)
  /// The file of a photo of a library, by the path of its row.
  case photo(String, of: Library)

  /// The archive, file or library, for messages.
  var origin: FilePath {
    switch self {
    case .entry(_, let archive, _): archive.path
    case .file(let path, _): path
    case .photo(_, let library): library.path
    }
  }

  /// True if the bytes must be decompressed or decrypted: a thread can do that for one photo at a time.
  var isEncoded: Bool {
    if case .entry(let index, let archive, _) = self { !archive.entries[index].isPlain } else { false }
  }
}

/// Opens and reads photos on one thread.
final class PhotoReader {
  private let counter: ProgressCounter?
  /// The reader of the archive that had the most recent photo.
  private var entries: EntryReader?
  private var archive: FilePath?
  private var memory: PageBuffer?

  /// - Parameter counter: ends `read` when the work is cancelled; nil if the caller only opens photos.
  init(_ counter: ProgressCounter? = nil) { self.counter = counter }

  /// Opens the bytes of a photo. If they are encoded, the stream ends when the next photo is opened. Blocks.
  ///
  /// The stream throws `PhotoFault`, or an error that concerns other photos too.
  ///
  /// - Parameter checksKind: false if the length of the photo is known, which tells a file from other items.
  /// - Throws: the same errors; `ArchiveError.changed` if another program has written to the archive.
  func open(_ bytes: PhotoBytes, checksKind: Bool = true) throws -> any ByteStream {
    try PhotoFault.translating {
      switch bytes {
      case .entry(let index, let archive, let password):
        return PhotoStream(try open(archive.entries[index], of: archive, password))
      case .file(_, let open): return PhotoStream(try Self.stream(open(), checksKind))
      case .photo(let path, let library):
        return PhotoStream(try Self.stream(library.openPhoto(at: path), checksKind))
      }
    }
  }

  private func open(
    _ entry: Entry, of archive: Archive, _ password: Secret?
  ) throws(ArchiveError) -> any ByteStream {
    try archive.requireUnchanged()
    if let plain = try archive.openPlain(entry) { return plain }
    if self.archive != archive.path {
      entries = try EntryReader(archive, password: password)
      self.archive = archive.path
    }
    guard let stream = try entries?.open(entry) else { throw .changed(archive.path) }
    return stream
  }

  private static func stream(_ file: consuming File, _ checksKind: Bool) throws -> FileStream {
    if checksKind, try file.status().kind != .file { throw PhotoFault.notAFile }
    return FileStream(file)
  }

  /// Reads the bytes of a photo to their end. Blocks.
  ///
  /// - Parameters:
  ///   - bytes: the place of the bytes; nil for a photo without bytes.
  ///   - take: receives each piece, and its offset.
  /// - Throws: what `take` throws, unless it is a `PhotoFault`; an error that concerns other photos too.
  func read(
    _ bytes: PhotoBytes?, _ take: (UnsafeRawBufferPointer, _ offset: Int) throws -> Void = { _, _ in }
  ) throws -> PhotoOutcome {
    guard let bytes else { return .fault(.noFile) }
    var (hash, size) = (RunningMD5(), 0)
    do {
      let stream = try open(bytes)
      let buffer = try buffer()
      while case let count = try stream.read(into: buffer), count > 0 {
        try counter?.checkCancellation()
        let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        hash.update(piece)
        try take(piece, size)
        size += count
      }
    } catch let fault as PhotoFault {
      return .fault(fault)
    }
    return .read(FileContent(md5: hash.digest, size: size))
  }

  private func buffer() throws(MemoryShortage) -> UnsafeMutableRawBufferPointer {
    let buffer = if let memory { memory } else { try PageBuffer(byteCount: 256 << 10) }
    memory = buffer
    return buffer.bytes
  }
}

/// Tells errors that concern one photo from others.
private final class PhotoStream: ByteStream {
  private let base: any ByteStream

  init(_ base: any ByteStream) { self.base = base }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try PhotoFault.translating { try base.read(into: buffer) }
  }

  func announceReading(count: Int) { base.announceReading(count: count) }
}
