/// What the properties are read into, with the defaults of the Android app's serializer. What has no default there
/// must be there. Keys that nobody knows are passed over.
private typealias Mismatch = JSONReader.Mismatch

extension Metadata {
  init(_ document: JSONDocument) throws(JSONDocument.Refusal) {
    // the version first: of a newer one, nothing else can be expected to be as this one knows it
    version =
      try document.optional("version") { json throws(Mismatch) in try json.integer() } ?? Self.newestVersion
    guard version <= Self.newestVersion else {
      let reason = "made by a newer version of SmilePile (format \(version))"
      throw .fault(Fault(path: "version", reason: reason, newerVersion: version))
    }
    guard version >= 1 else { throw .fault(Fault(path: "version", reason: "\(version) is no version")) }
    exportDate = try document.optional("exportDate") { json throws(Mismatch) in try json.integer() }
    appVersion = try document.optional("appVersion") { json throws(Mismatch) in try json.string() } ?? ""
    format = try document.optional("format") { json throws(Mismatch) in try json.string() } ?? "ZIP"
    categories = try document.required("categories") { json throws(Mismatch) in
      try json.list { element throws(Mismatch) in try CategoryRecord(&element) }
    }
    photos = try document.required("photos") { json throws(Mismatch) in
      try json.list { element throws(Mismatch) in try PhotoRecord(&element) }
    }
    settings = try document.optional("settings") { json throws(Mismatch) in try SettingsRecord(&json) }
    // the manifest is in the photos' order, where an app has made it
    var rest = photos[...]
    photoManifest =
      try document.optional("photoManifest") { json throws(Mismatch) in
        try json.list { element throws(Mismatch) in
          var entry = try ManifestEntry(&element)
          rest = rest.drop { $0.id != entry.photoId }
          if let photo = rest.first { entry.share(photo.path) }
          return entry
        }
      } ?? []
    smilepile = try document.optional("smilepile") { json throws(Mismatch) in try Provenance(&json) }
  }
}

extension JSONReader {
  /// A property that an object must have.
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
    var displayName: String?
    var position: Int?
    var createdAt: Int64?
    while let key = json.nextKey() {
      switch key {
      case "id": id = try json.integer()
      case "name": name = try json.string()
      case "displayName": displayName = try json.string()
      case "position": position = try json.integer()
      case "iconResource": iconResource = try json.optionalString()
      case "colorHex": colorHex = try json.optionalString()
      case "isDefault": isDefault = try json.optionalFlag() ?? false
      case "createdAt": createdAt = try json.integer()
      case "valuesAsOf": valuesAsOf = try json.optionalInteger()
      default: json.skip()
      }
    }
    self.id = try json.require(id, "id", of: start)
    self.name = try json.require(name, "name", of: start)
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
  fileprivate init(_ json: inout JSONReader) throws(Mismatch) {
    let start = try json.beginObject()
    var photoId: Int64?
    var originalPath: String?
    var zipEntryName: String?
    var fileName: String?
    var fileSize: Int64?
    while let key = json.nextKey() {
      switch key {
      case "photoId": photoId = try json.integer()
      case "originalPath": originalPath = try json.string()
      case "zipEntryName": zipEntryName = try json.string()
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

extension Metadata.ManifestEntry {
  /// Holds the photo's own path where the same text, byte for byte, stands here: the apps say that path again, this
  /// project the entry's name, and so it is in memory once.
  fileprivate mutating func share(_ path: String) {
    if originalPath.utf8.elementsEqual(path.utf8) { originalPath = path }
    if zipEntryName.utf8.elementsEqual(path.utf8) { zipEntryName = path }
  }
}

extension Metadata.SettingsRecord {
  fileprivate init(_ json: inout JSONReader) throws(Mismatch) {
    let start = try json.beginObject()
    var isDarkMode: Bool?
    var securitySettings: Metadata.SecurityRecord?
    while let key = json.nextKey() {
      switch key {
      case "isDarkMode": isDarkMode = try json.flag()
      case "securitySettings": securitySettings = try Metadata.SecurityRecord(&json)
      case "themeMode": themeMode = try json.optionalString()
      case "valuesAsOf": valuesAsOf = try json.optionalInteger()
      default: json.skip()
      }
    }
    self.isDarkMode = try json.require(isDarkMode, "isDarkMode", of: start)
    self.securitySettings = try json.require(securitySettings, "securitySettings", of: start)
  }
}

extension Metadata.SecurityRecord {
  fileprivate init(_ json: inout JSONReader) throws(Mismatch) {
    let start = try json.beginObject()
    var hasPIN: Bool?
    var hasPattern: Bool?
    var kidSafeModeEnabled: Bool?
    var deleteProtectionEnabled: Bool?
    while let key = json.nextKey() {
      switch key {
      case "hasPIN": hasPIN = try json.flag()
      case "hasPattern": hasPattern = try json.flag()
      case "kidSafeModeEnabled": kidSafeModeEnabled = try json.flag()
      case "deleteProtectionEnabled": deleteProtectionEnabled = try json.flag()
      default: json.skip()
      }
    }
    self.hasPIN = try json.require(hasPIN, "hasPIN", of: start)
    self.hasPattern = try json.require(hasPattern, "hasPattern", of: start)
    self.kidSafeModeEnabled = try json.require(kidSafeModeEnabled, "kidSafeModeEnabled", of: start)
    self.deleteProtectionEnabled = try json.require(
      deleteProtectionEnabled, "deleteProtectionEnabled", of: start)
  }
}
