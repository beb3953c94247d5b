import Checksums
import PhotoLibrary

/// What a person moved and removed in the library, in `smilepile.movements`, oldest first.
extension Metadata {
  /// A movement of a photo or a category; see `PhotoLibrary.Movement`. An object without `checksum` and `assetPath` is
  /// that of a category.
  package struct Movement: Sendable, Equatable {
    /// MD5 of the photo's file, 32 hexadecimal digits.
    package var checksum: String?
    /// The length of the photo's file in bytes.
    package var fileSize: Int64?
    /// The path of an asset of the app.
    var assetPath: String?
    /// The `name` of the category that it left; nil for a photo that had been removed.
    package var from: String?
    /// The `name` of the category that it is in since; nil if it was removed.
    package var to: String?
    /// The time.
    package var at: Timestamp
  }
}

extension Metadata.Movement {
  /// Describes a movement of the library.
  init(_ movement: PhotoLibrary.Movement) {
    self.init(from: movement.origin, to: movement.destination, at: movement.at.clamped(to: Metadata.dates))
    switch movement.subject {
    case .photo(.file(let content)): (checksum, fileSize) = (content.md5.description, Int64(content.size))
    case .photo(.asset(let path)): assetPath = path
    case .category: break
    }
  }
}

extension Metadata.Movement: Record {
  static var blank: Self { Self(at: 0) }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field("assetPath", &assetPath, .optional)
    try visitor.field("at", &at, .required(1).within(Metadata.dates))
    try visitor.field("checksum", &checksum, .optional.anyText)
    try visitor.field("fileSize", &fileSize, .optional)
    try visitor.field("from", &from, .optional)
    try visitor.field("to", &to, .optional)
  }

  /// Refuses a movement without a subject, and one that moves nothing.
  mutating func check(_ ranges: inout RangeCheck) throws(Metadata.Fault) {
    try visit(&ranges)
    if from == to { throw ranges.fault(nil, "moves nothing") }
    guard let checksum else {
      if assetPath == nil, from == nil { throw ranges.fault("from", "is missing") }
      return
    }
    guard MD5Digest(hex: checksum) != nil else { throw ranges.fault("checksum", "is not an MD5") }
    guard fileSize != nil else { throw ranges.fault("fileSize", "is missing") }
    try ranges.field("fileSize", &fileSize, .optional.within(Metadata.sizes))
  }
}

extension PhotoLibrary.Movement {
  /// Returns the movement of a record whose ranges were checked.
  init(_ record: Metadata.Movement) {
    let subject: Subject
    if let md5 = record.checksum.flatMap({ MD5Digest(hex: $0) }) {
      subject = .photo(.file(FileContent(md5: md5, size: Int(record.fileSize ?? 0))))
    } else if let path = record.assetPath {
      subject = .photo(.asset(path))
    } else {
      subject = .category
    }
    self.init(subject, from: record.from, to: record.to, at: record.at)
  }
}
