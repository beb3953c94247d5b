import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// A source of a photo's bytes.
enum PhotoBytes: Sendable {
  /// An entry of an archive, by index. The archive may be damaged.
  case entry(Int, of: Archive, password: Secret? = nil)
  /// The file of a photo of a library. Boxed, since there are many more entries.
  indirect case photo(Photo, of: Library)

  /// The archive or the library, for messages.
  var place: FilePath {
    switch self {
    case .entry(_, let archive, _): archive.path
    case .photo(_, let library): library.path
    }
  }

  /// Reads the bytes in pieces.
  ///
  /// - Returns: why the bytes cannot be read to the end; nil if all were read.
  /// - Throws: the errors of `body`.
  func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> String? {
    switch self {
    case .entry(let index, let archive, let password):
      do {
        var reader = try EntryReader(archive, password: password)
        try reader.read(archive.entries[index], body)
        return nil
      } catch let error as ArchiveError {
        guard let fault = error.faultOfOneEntry else { throw error }
        return fault
      }
    case .photo(let photo, let library):
      do {
        try File.readPieces(opening: { () throws(FileError) in try library.open(photo) }, body)
        return nil
      } catch let error as File.Unreadable {
        return "\(error.error)"
      }
    }
  }

  /// Reads the bytes to the end, and returns their MD5 and size; nil if they cannot be read.
  func content(_ counter: ProgressCounter) throws -> FileContent? {
    var hash = RunningMD5()
    var size = 0
    let fault = try read { bytes in
      try counter.checkCancellation()
      hash.update(bytes)
      size += bytes.count
    }
    return fault == nil ? FileContent(md5: hash.digest, size: size) : nil
  }
}
