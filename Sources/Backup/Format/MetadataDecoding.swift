import FileSystem
import Foundation
import Zip

/// Reading, with the defaults of the Android app's serializer. What has no default there must be there.
extension Metadata {
  private enum Key: String, CodingKey {
    case version, exportDate, appVersion, format, categories, photos, settings, photoManifest, smilepile
  }

  /// Reads the root object.
  public init(from decoder: any Decoder) throws {
    let root = try decoder.container(keyedBy: Key.self)
    // the version first: of a newer one, nothing else can be expected to be as this one knows it
    version = try root.decodeIfPresent(Int.self, forKey: .version) ?? Metadata.newestVersion
    guard version <= Metadata.newestVersion else {
      throw Fault(
        path: "version", reason: "made by a newer version of SmilePile (format \(version))",
        newerVersion: version)
    }
    guard version >= 1 else { throw Fault(path: "version", reason: "\(version) is no version") }
    exportDate = try root.decodeIfPresent(Int64.self, forKey: .exportDate)
    appVersion = try root.decodeIfPresent(String.self, forKey: .appVersion) ?? ""
    format = try root.decodeIfPresent(String.self, forKey: .format) ?? "ZIP"
    categories = try root.decode([CategoryRecord].self, forKey: .categories)
    photos = try root.decode([PhotoRecord].self, forKey: .photos)
    settings = try root.decodeIfPresent(SettingsRecord.self, forKey: .settings)
    photoManifest = try root.decodeIfPresent([ManifestEntry].self, forKey: .photoManifest) ?? []
    smilepile = try root.decodeIfPresent(Provenance.self, forKey: .smilepile)
  }
}

extension Metadata.CategoryRecord {
  private enum Key: String, CodingKey {
    case id, name, displayName, position, iconResource, colorHex, isDefault, createdAt, valuesAsOf
  }

  /// Reads a category; `isDefault` is false where it is left out.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    id = try object.decode(Int64.self, forKey: .id)
    name = try object.decode(String.self, forKey: .name)
    displayName = try object.decode(String.self, forKey: .displayName)
    position = try object.decode(Int.self, forKey: .position)
    iconResource = try object.decodeIfPresent(String.self, forKey: .iconResource)
    colorHex = try object.decodeIfPresent(String.self, forKey: .colorHex)
    isDefault = try object.decodeIfPresent(Bool.self, forKey: .isDefault) ?? false
    createdAt = try object.decode(Int64.self, forKey: .createdAt)
    valuesAsOf = try object.decodeIfPresent(Int64.self, forKey: .valuesAsOf)
  }
}

extension Metadata.PhotoRecord {
  private enum Key: String, CodingKey {
    case id, path, categoryId, name, isFromAssets, createdAt, fileSize, width, height
  }

  /// Reads a photo; flags and sizes are false and 0 where they are left out.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    id = try object.decode(Int64.self, forKey: .id)
    path = try object.decode(String.self, forKey: .path)
    categoryId = try object.decode(Int64.self, forKey: .categoryId)
    name = try object.decode(String.self, forKey: .name)
    isFromAssets = try object.decodeIfPresent(Bool.self, forKey: .isFromAssets) ?? false
    createdAt = try object.decode(Int64.self, forKey: .createdAt)
    fileSize = try object.decodeIfPresent(Int64.self, forKey: .fileSize) ?? 0
    width = try object.decodeIfPresent(Int.self, forKey: .width) ?? 0
    height = try object.decodeIfPresent(Int.self, forKey: .height) ?? 0
  }
}

extension Metadata {
  /// Why a document is no backup's metadata.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where, as `photos[3].categoryId`; empty for the document as a whole.
    public var path: String
    /// What is wrong there.
    public var reason: String
    /// The version it names, if that is what is wrong: it was made by a newer app.
    public var newerVersion: Int?

    /// `photos[3].categoryId: …`
    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
  }

  /// Reads and checks a document.
  ///
  /// - Parameter maximumNesting: how deep objects and lists may stand within each other.
  /// - Throws: `Fault` with the place in the document.
  public init(json: [UInt8], maximumNesting: Int = Limits().maximumNesting) throws(Fault) {
    var bytes = json[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw Fault(path: "", reason: "the text is not valid UTF-8")
    }
    do {
      try bytes.withUnsafeBufferPointer { bytes throws(Fault) in
        try JSONScan.check(bytes, maximumNesting: maximumNesting)
      }
      self = try JSONDecoder().decode(Metadata.self, from: Data(bytes))
      try check()
    } catch let fault as Fault {
      throw fault
    } catch let error as DecodingError {
      throw Fault(error, in: bytes)
    } catch {
      throw Fault(path: "", reason: "\(error)")
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
