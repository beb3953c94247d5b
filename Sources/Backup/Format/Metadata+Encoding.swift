/// Writes the format that both apps read: every property, except that a nil `iconResource`, `colorHex` or
/// `checksum` is omitted, as on iOS.
extension Metadata {
  /// Returns the document: UTF-8, keys sorted, indented.
  package func json() -> [UInt8] {
    var json: [UInt8] = []
    write(photos: photos, manifest: photoManifest) { json += $0 }
    return json
  }

  /// Writes the document with other photos and another manifest, piece by piece, because the lists of a large
  /// library and the document have fifty megabytes each.
  func write(
    photos: some Sequence<PhotoRecord>, manifest: some Sequence<ManifestEntry>,
    to write: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    var writer = JSONWriter()
    try writer.object { root in
      root.property("appVersion", appVersion)
      let names = AndroidCategoryNames(categories).names
      root.list("categories", of: zip(categories, names)) { list, category in
        list.object { category.0.write(as: category.1, to: &$0) }
      }
      root.property("exportDate", exportDate)
      root.property("format", format)
      try root.list("photoManifest", of: manifest) { list, entry in
        list.object { entry.write(to: &$0) }
        try list.pass(to: write, from: Self.pieceSize)
      }
      try root.list("photos", of: photos) { list, photo in
        list.object { photo.write(to: &$0) }
        try list.pass(to: write, from: Self.pieceSize)
      }
      if let settings { root.object("settings") { settings.write(to: &$0) } }
      if let smilepile { root.object("smilepile") { smilepile.write(to: &$0) } }
      root.property("version", version)
    }
    try writer.pass(to: write)
  }

  private static let pieceSize = 64 << 10
}

extension Metadata.CategoryRecord {
  /// - Parameter writtenName: the `name` for the apps. If the category's own name differs, `ownName` records it.
  fileprivate func write(as writtenName: String, to object: inout JSONWriter) {
    object.property("arrangedAt", arrangedAt)
    object.property("colorHex", colorHex)
    object.property("createdAt", createdAt)
    object.property("displayName", displayName)
    object.property("iconResource", iconResource)
    object.property("id", id)
    object.property("isDefault", isDefault)
    object.property("name", writtenName)
    object.property("ownName", name.utf8.elementsEqual(writtenName.utf8) ? nil : name)
    object.property("position", position)
    object.property("valuesAsOf", valuesAsOf)
  }
}

extension Metadata.PhotoRecord {
  fileprivate func write(to object: inout JSONWriter) {
    object.property("categoryId", categoryId)
    object.property("createdAt", createdAt)
    object.property("fileSize", fileSize)
    object.property("height", height)
    object.property("id", id)
    object.property("isFavorite", isFavorite)
    object.property("isFromAssets", isFromAssets)
    object.property("name", name)
    object.property("path", path)
    if shipsWithApp { object.property("shipsWithApp", true) }
    object.property("width", width)
  }
}

extension Metadata.ManifestEntry {
  fileprivate func write(to object: inout JSONWriter) {
    object.property("checksum", checksum)
    object.property("expectedChecksum", expectedChecksum)
    object.property("fileName", fileName)
    object.property("fileSize", fileSize)
    object.property("originalPath", originalPath)
    object.property("photoId", photoId)
    object.property("zipEntryName", zipEntryName)
  }
}

extension Metadata.SettingsRecord {
  fileprivate func write(to object: inout JSONWriter) {
    object.property("isDarkMode", isDarkMode)
    if securitySettings != Metadata.SecurityRecord() {
      object.object("securitySettings") { securitySettings.write(to: &$0) }
    }
    object.property("themeMode", themeMode)
    object.property("valuesAsOf", valuesAsOf)
  }
}

extension Metadata.SecurityRecord {
  fileprivate func write(to object: inout JSONWriter) {
    object.property("cameraAccessAllowed", cameraAccessAllowed)
    object.property("deleteProtectionEnabled", deleteProtectionEnabled)
    object.property("hasPIN", hasPIN)
    object.property("hasPINAsOf", hasPINAsOf)
    object.property("hasPattern", hasPattern)
    object.property("hasPatternAsOf", hasPatternAsOf)
    object.property("kidSafeModeEnabled", kidSafeModeEnabled)
  }
}
