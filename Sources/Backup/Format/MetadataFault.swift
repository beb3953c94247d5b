import FileSystem

/// Why a document is not the metadata of a backup.
public struct MetadataFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path, for example `photos[3].categoryId`; empty for the complete document.
  public var path: String
  /// What is wrong.
  public var reason: String
  /// The version of the document, if a newer app wrote the document; otherwise nil.
  public var newerVersion: Int?
  /// True if the document exceeds a limit, such as the deepest nesting.
  public var exceedsLimit = false
  /// True if the text is no JSON, as that of a truncated document.
  public var isMalformed = false

  /// `photos[3].categoryId: …`
  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

  /// True if damage can be the cause. False for a newer version and for an exceeded limit, because a program wrote
  /// those on purpose.
  var isDamage: Bool { newerVersion == nil && !exceedsLimit }
}

extension Metadata {
  package typealias Fault = MetadataFault
}

extension MetadataFault {
  init(_ mismatch: JSONReader.Mismatch, in json: UnsafeBufferPointer<UInt8>) {
    var path = JSONScan.path(json, ofValueAt: mismatch.position)
    if let key = mismatch.missing { path += (path.isEmpty ? "" : ".") + "\(key)" }
    self.init(path: path, reason: mismatch.reason, exceedsLimit: mismatch.exceedsLimit)
  }
}
