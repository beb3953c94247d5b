import Checksums
import FileSystem
import PhotoLibrary

/// A photo to be written into an archive.
struct PipelineItem: Sendable {
  /// The entry's name in the archive.
  var entryName: String
  /// The exact length of the file in bytes.
  var size: Int
  /// The entry's date, in milliseconds since 1970.
  var modified: Int64
  /// Opens the file. May be called again.
  var open: @Sendable () throws(FileError) -> File
}

/// An entry after the photos, such as `metadata.json`.
struct PipelineText {
  /// The entry's name in the archive.
  var entryName: String
  /// The entry's date, in milliseconds since 1970.
  var modified: Int64
  /// True to store the entry, since it is compressed already; false to deflate it.
  var isCompressed = false
  /// Renders the entry piece by piece after every photo's checksum is known. The checksums are in the items' order.
  var render: (_ digests: [MD5Digest], _ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
}

/// Why a pipeline ended early.
enum PipelineError: Error, Equatable, Sendable {
  /// These items, all of them, cannot be archived. The archive is invalid; the caller can retry without them.
  case unreadable([LaneReader.Fault])
}

/// Why an item cannot be archived.
enum ItemReason: Error, Equatable, Sendable, CustomStringConvertible {
  /// Opening or reading the file failed.
  case file(FileError)
  /// The file is shorter than its size, and ends after `bytes`.
  case tooShort(bytes: Int)
  /// The file is longer than its size.
  case tooLong

  /// One line for the user, without the item's name.
  var description: String {
    switch self {
    case .file(let error): error.description
    case .tooShort(let bytes): "the file ends after \(bytes) bytes, before its recorded size"
    case .tooLong: "the file is longer than its recorded size"
    }
  }
}

/// Photo bytes that have reached the archive.
struct PipelineAdvance: Sendable {
  /// The index of their item.
  var item: Int
  /// Their number.
  var bytes: Int
  /// True if the item is complete with them.
  var isDone: Bool
}
