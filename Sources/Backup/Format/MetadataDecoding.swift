import FileSystem
import Zip

extension Metadata {
  /// Why a document is no backup's metadata.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where, as `photos[3].categoryId`; empty for the document as a whole.
    public var path: String
    /// What is wrong there.
    public var reason: String
    /// The version it names, if that is what is wrong: it was made by a newer app.
    public var newerVersion: Int?
    /// It is nested deeper than `Limits` allow.
    public var isTooDeep = false

    /// `photos[3].categoryId: …`
    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

    /// Whether damage can have brought it about: a document of a newer version, or with more in it than is allowed, was
    /// written so.
    var isDamage: Bool { newerVersion == nil && !isTooDeep }
  }

  /// Reads and checks a document. Its bytes are let go of in between, if nobody else needs them.
  ///
  /// - Parameter maximumNesting: how deep objects and lists may stand within each other.
  /// - Throws: `Fault` with the place in the document.
  public init(
    json: consuming [UInt8], maximumNesting: Int = Limits().maximumNesting
  ) throws(Fault) {
    self = try json.withUnsafeBufferPointer { bytes throws(Fault) in
      let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
      return try Metadata(
        UnsafeBufferPointer(rebasing: bytes[(hasMark ? 3 : 0)...]), maximumNesting: maximumNesting)
    }
    _ = consume json
    try check()
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>, maximumNesting: Int) throws(Fault) {
    guard (try? UTF8Span(validating: bytes.span)) != nil else {
      throw Fault(path: "", reason: "the text is not valid UTF-8")
    }
    let members = try JSONScan.check(bytes, maximumNesting: maximumNesting)
    do {
      try self.init(JSONDocument(bytes, members))
    } catch {
      switch error {
      case .fault(let fault): throw fault
      case .mismatch(let mismatch): throw Fault(mismatch, in: bytes)
      }
    }
  }

  /// What no importer could make sense of: ids given twice, photos of a category that is not there.
  private func check() throws(Fault) {
    try Self.requireUnique("categories", categories.map(\.id), "id")
    let categoryIds = Set(categories.map(\.id))
    try Self.requireUnique("photos", photos.map(\.id), "id")
    for (index, photo) in photos.enumerated() where !categoryIds.contains(photo.categoryId) {
      throw Fault(
        path: "photos[\(index)].categoryId", reason: "there is no category \(photo.categoryId)")
    }
    try Self.requireUnique("photoManifest", photoManifest.map(\.photoId), "photoId")
    try Self.requireUnique("photoManifest", photoManifest.map(\.zipEntryName), "zipEntryName")
    if let held = smilepile?.increment?.held {
      try Self.requireUnique("smilepile.increment.held", held.map(\.photoId), "photoId")
    }
    try checkRanges()
  }

  private static func requireUnique<Value: Hashable>(
    _ list: String, _ values: [Value], _ key: String
  ) throws(Fault) {
    var seen = Set<Value>(minimumCapacity: values.count)
    for (index, value) in values.enumerated() where !seen.insert(value).inserted {
      let text = "\(value)".escaped
      throw Fault(path: "\(list)[\(index)].\(key)", reason: "\(text) was given before")
    }
  }
}

extension Metadata.Fault {
  init(_ mismatch: JSONReader.Mismatch, in json: UnsafeBufferPointer<UInt8>) {
    var path = JSONScan.path(json, ofValueAt: mismatch.position)
    if let key = mismatch.missing { path += (path.isEmpty ? "" : ".") + "\(key)" }
    self.init(path: path, reason: mismatch.reason)
  }
}
