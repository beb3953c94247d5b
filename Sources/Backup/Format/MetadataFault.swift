import FileSystem
import Operations

extension Metadata {
  /// Why a document is no backup's metadata.
  package struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where, as `photos[3].categoryId`; empty for the document as a whole.
    package var path: String
    /// What is wrong there.
    package var reason: String
    /// The version it names, if that is what is wrong: it was made by a newer app.
    package var newerVersion: Int?
    /// It is nested deeper than `Limits` allow.
    package var isTooDeep = false

    /// `photos[3].categoryId: …`
    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

    /// Whether damage can have brought it about: a document of a newer version, or with more in it than is allowed, was
    /// written so.
    var isDamage: Bool { newerVersion == nil && !isTooDeep }
  }
}

extension Metadata.Fault {
  init(_ mismatch: JSONReader.Mismatch, in json: UnsafeBufferPointer<UInt8>) {
    var path = JSONScan.path(json, ofValueAt: mismatch.position)
    if let key = mismatch.missing { path += (path.isEmpty ? "" : ".") + "\(key)" }
    self.init(path: path, reason: mismatch.reason)
  }
}
