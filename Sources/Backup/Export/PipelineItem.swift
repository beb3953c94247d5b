import Checksums
import FileSystem
import PhotoLibrary

/// One photo on its way into an archive.
struct PipelineItem: Sendable {
  /// The entry's name in the archive.
  var entryName: String
  /// The bytes that the file must have, neither fewer nor more.
  var size: Int
  /// The entry's date, in milliseconds since 1970.
  var modified: Int64
  /// Opens the file. Called once, by a thread of the pipeline, when its turn comes.
  var open: @Sendable () throws(FileError) -> File
}

/// A deflated entry after the photos, like `metadata.json`.
struct PipelineText {
  /// The entry's name in the archive.
  var entryName: String
  /// The entry's date, in milliseconds since 1970.
  var modified: Int64
  /// Renders the entry piece by piece, once every photo's checksum is known: they come in the items' order.
  var render: (_ digests: [MD5Digest], _ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
}

/// Why a pipeline ended early.
enum PipelineError: Error, Equatable, Sendable {
  /// The item at `index` cannot be archived. The archive is void; the others can be tried without it.
  case item(index: Int, ItemReason)
}

/// What is wrong with one item.
enum ItemReason: Error, Equatable, Sendable, CustomStringConvertible {
  /// Opening or reading it failed.
  case file(FileError)
  /// It is shorter than its size says, and ends after `bytes`.
  case tooShort(bytes: Int)
  /// It goes on after the bytes that its size says.
  case tooLong

  /// One line for a person, which leaves the name to the caller.
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
  /// Whether the item is complete with them.
  var isDone: Bool
}
