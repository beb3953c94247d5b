import Checksums
import Operations

/// A photo to be written into an archive.
struct PipelineItem: Sendable {
  /// The entry's name in the archive.
  var entryName: String
  /// The exact length of the photo in bytes.
  var size: Int
  /// The entry's date.
  var modified: Timestamp
  /// Where the photo's bytes are.
  var bytes: PhotoBytes
}

/// An entry after the photos, such as `metadata.json`.
struct PipelineText {
  /// The entry's name in the archive.
  var entryName: String
  /// The entry's date.
  var modified: Timestamp
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

/// Photo bytes that have reached the archive.
struct PipelineAdvance: Sendable {
  /// The index of their item.
  var item: Int
  /// Their number.
  var bytes: Int
  /// True if the item is complete with them.
  var isDone: Bool
}
