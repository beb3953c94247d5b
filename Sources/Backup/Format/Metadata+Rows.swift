/// Reads the properties of the objects in `metadata.json`, with the defaults of the Android app's serializer. Skips
/// unknown keys.
private typealias Mismatch = JSONReader.Mismatch

extension Metadata {
  /// - Parameter gaps: receives each row that lacks a property without a default. Such a row is left out.
  init(_ document: JSONDocument, gaps: inout JSONGaps) throws(JSONDocument.Refusal) {
    // the version first: the other properties of a newer version may have other types
    version =
      try document.optional("version") { json throws(Mismatch) in try json.integer() } ?? Self.newestVersion
    guard version <= Self.newestVersion else {
      let reason = "made by a newer version of SmilePile (format \(version))"
      throw .fault(Fault(path: "version", reason: reason, newerVersion: version))
    }
    exportDate = try document.optional("exportDate") { json throws(Mismatch) in try json.integer() }
    appVersion = try document.optional("appVersion") { json throws(Mismatch) in try json.string() } ?? ""
    format = try document.optional("format") { json throws(Mismatch) in try json.string() } ?? "ZIP"
    categories = try document.list("categories", atMost: Self.maximumElements, gaps: &gaps) {
      json throws(Mismatch) in try CategoryRecord(&json)
    }
    photos = try document.list("photos", gaps: &gaps) { json throws(Mismatch) in try PhotoRecord(&json) }
    settings = try document.optional("settings") { json throws(Mismatch) in try SettingsRecord(&json) }
    // an app writes the manifest in the order of the photos
    var rest = photos[...]
    photoManifest =
      try document.optionalList("photoManifest", gaps: &gaps) { json throws(Mismatch) in
        let entry = try ManifestEntry(&json, likelyPath: rest.first?.path)
        rest = rest.drop { $0.id != entry.photoId }.dropFirst()
        return entry
      } ?? []
    smilepile = try document.optional("smilepile") { json throws(Mismatch) in try Provenance(&json) }
  }
}

extension JSONReader {
  /// Returns a required property of an object, or throws if the property is missing.
  func require<Value>(
    _ value: Value?, _ name: StaticString, of object: Int
  ) throws(Mismatch) -> Value {
    guard let value else { throw Mismatch(position: object, missing: name, reason: "is missing") }
    return value
  }
}

extension Metadata.CategoryRecord {
  fileprivate init(_ json: inout JSONReader) throws(Mismatch) {
    let start = try json.beginObject()
    var id: Int64?
    var name: String?
    var ownName: String?
    var displayName: String?
    var position: Int?
    var createdAt: Int64?
    while let key = json.nextKey() {
      switch key {
      case "id": id = try json.integer()
      case "name": name = try json.string()
      case "ownName": ownName = try json.optionalString()
      case "displayName": displayName = try json.string()
      case "position": position = try json.integer()
      case "iconResource": iconResource = try json.optionalString()
      case "colorHex": colorHex = try json.optionalString()
      case "isDefault": isDefault = try json.optionalFlag() ?? false
      case "createdAt": createdAt = try json.integer()
      case "valuesAsOf": valuesAsOf = try json.optionalInteger()
      case "arrangedAt": arrangedAt = try json.optionalInteger()
      default: json.skip()
      }
    }
    self.id = try json.require(id, "id", of: start)
    let writtenName = try json.require(name, "name", of: start)
    self.name = ownName ?? writtenName
    self.displayName = try json.require(displayName, "displayName", of: start)
    self.position = try json.require(position, "position", of: start)
    self.createdAt = try json.require(createdAt, "createdAt", of: start)
  }
}

extension Metadata.PhotoRecord {
  fileprivate init(_ json: inout JSONReader) throws(Mismatch) {
    let start = try json.beginObject()
    var id: Int64?
    var path: String?
    var categoryId: Int64?
    var name: String?
    var createdAt: Int64?
    while let key = json.nextKey() {
      switch key {
      case "id": id = try json.integer()
      case "path": path = try json.string()
      case "categoryId": categoryId = try json.integer()
      case "name": name = try json.string()
      case "isFromAssets": isFromAssets = try json.optionalFlag() ?? false
      case "isFavorite": isFavorite = try json.optionalFlag()
      case "shipsWithApp": shipsWithApp = try json.optionalFlag() ?? false
      case "createdAt": createdAt = try json.integer()
      case "fileSize": fileSize = try json.optionalInteger() ?? 0
      case "width": width = try json.optionalInteger() ?? 0
      case "height": height = try json.optionalInteger() ?? 0
      default: json.skip()
      }
    }
    self.id = try json.require(id, "id", of: start)
    self.path = try json.require(path, "path", of: start)
    self.categoryId = try json.require(categoryId, "categoryId", of: start)
    self.name = try json.require(name, "name", of: start)
    self.createdAt = try json.require(createdAt, "createdAt", of: start)
  }
}

extension Metadata.ManifestEntry {
  /// - Parameter likelyPath: the path of a photo. The apps repeat it in `originalPath`, this project repeats the name of the
  ///   entry.
  fileprivate init(_ json: inout JSONReader, likelyPath: String?) throws(Mismatch) {
    let start = try json.beginObject()
    var photoId: Int64?
    var originalPath: String?
    var zipEntryName: String?
    var fileName: String?
    var fileSize: Int64?
    while let key = json.nextKey() {
      switch key {
      case "photoId": photoId = try json.integer()
      case "originalPath": originalPath = try json.string(likely: likelyPath)
      case "zipEntryName": zipEntryName = try json.string(likely: likelyPath)
      case "fileName": fileName = try json.string()
      case "fileSize": fileSize = try json.integer()
      case "checksum": checksum = try json.optionalString()
      case "expectedChecksum": expectedChecksum = try json.optionalString()
      default: json.skip()
      }
    }
    self.photoId = try json.require(photoId, "photoId", of: start)
    self.originalPath = try json.require(originalPath, "originalPath", of: start)
    self.zipEntryName = try json.require(zipEntryName, "zipEntryName", of: start)
    self.fileName = try json.require(fileName, "fileName", of: start)
    self.fileSize = try json.require(fileSize, "fileSize", of: start)
  }
}

extension Metadata.SettingsRecord {
  fileprivate init(_ json: inout JSONReader) throws(Mismatch) {
    try json.beginObject()
    while let key = json.nextKey() {
      switch key {
      case "isDarkMode": isDarkMode = try json.optionalFlag()
      case "securitySettings":
        securitySettings =
          try json.optional { json throws(Mismatch) in try Metadata.SecurityRecord(&json) }
          ?? Metadata.SecurityRecord()
      case "themeMode": themeMode = try json.optionalString()
      case "valuesAsOf": valuesAsOf = try json.optionalInteger()
      default: json.skip()
      }
    }
  }
}

extension Metadata.SecurityRecord {
  fileprivate init(_ json: inout JSONReader) throws(Mismatch) {
    try json.beginObject()
    while let key = json.nextKey() {
      switch key {
      case "hasPIN": hasPIN = try json.optionalFlag()
      case "hasPattern": hasPattern = try json.optionalFlag()
      case "kidSafeModeEnabled": kidSafeModeEnabled = try json.optionalFlag()
      case "deleteProtectionEnabled": deleteProtectionEnabled = try json.optionalFlag()
      case "cameraAccessAllowed": cameraAccessAllowed = try json.optionalFlag()
      case "hasPINAsOf": hasPINAsOf = try json.optionalInteger()
      case "hasPatternAsOf": hasPatternAsOf = try json.optionalInteger()
      default: json.skip()
      }
    }
  }
}
