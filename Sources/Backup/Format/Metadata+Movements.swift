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
    package var assetPath: String?
    /// The `name` of the category that it left; nil for a photo that had been removed.
    package var from: String?
    /// The `name` of the category that it is in since; nil if it was removed.
    package var to: String?
    /// The time, in milliseconds since 1970.
    package var at: Int64
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

  func write(to object: inout JSONWriter) {
    object.property("assetPath", assetPath)
    object.property("at", at)
    object.property("checksum", checksum)
    object.property("fileSize", fileSize)
    object.property("from", from)
    object.property("to", to)
  }

  init(_ json: inout JSONReader) throws(JSONReader.Mismatch) {
    let start = try json.beginObject()
    var at: Int64?
    while let key = json.nextKey() {
      switch key {
      case "assetPath": assetPath = try json.optionalString()
      case "at": at = try json.integer()
      case "checksum": checksum = try json.optionalString()
      case "fileSize": fileSize = try json.optionalInteger()
      case "from": from = try json.optionalString()
      case "to": to = try json.optionalString()
      default: json.skip()
      }
    }
    self.at = try json.require(at, "at", of: start)
  }

  func checkRanges(_ path: String) throws(Metadata.Fault) {
    try Metadata.require(at, in: Metadata.dates, "\(path).at")
    try Metadata.require(assetPath, "\(path).assetPath")
    try Metadata.require(from, "\(path).from")
    try Metadata.require(to, "\(path).to")
    if from == to { throw Metadata.Fault(path: path, reason: "moves nothing") }
    guard let checksum else {
      if assetPath == nil, from == nil { throw Metadata.Fault(path: "\(path).from", reason: "is missing") }
      return
    }
    guard MD5Digest(hex: checksum) != nil else {
      throw Metadata.Fault(path: "\(path).checksum", reason: "is not an MD5")
    }
    guard let fileSize else { throw Metadata.Fault(path: "\(path).fileSize", reason: "is missing") }
    try Metadata.require(fileSize, in: Metadata.sizes, "\(path).fileSize")
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
