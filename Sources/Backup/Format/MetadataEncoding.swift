/// Writing, as both apps read it: every property written out, but nothing for a nil `iconResource`, `colorHex` or
/// `checksum`, as on iOS.
extension Metadata {
  /// The document: UTF-8, keys sorted, indented.
  public func json() -> [UInt8] {
    var json: [UInt8] = []
    write(photos: photos, manifest: photoManifest) { json += $0 }
    return json
  }

  /// The same with other photos and another manifest, and handed over piece by piece: those of a large library, and
  /// the document, have fifty megabytes each.
  func write(
    photos: some Sequence<PhotoRecord>, manifest: some Sequence<ManifestEntry>,
    to write: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    var writer = JSONWriter()
    try writer.object { root in
      root.property("appVersion", appVersion)
      root.list("categories", of: categories) { list, category in list.object { category.write(to: &$0) } }
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
  fileprivate func write(to object: inout JSONWriter) {
    object.property("colorHex", colorHex)
    object.property("createdAt", createdAt)
    object.property("displayName", displayName)
    object.property("iconResource", iconResource)
    object.property("id", id)
    object.property("isDefault", isDefault)
    object.property("name", name)
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
    object.property("isFromAssets", isFromAssets)
    object.property("name", name)
    object.property("path", path)
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
    object.object("securitySettings") { security in
      security.property("deleteProtectionEnabled", securitySettings.deleteProtectionEnabled)
      security.property("hasPIN", securitySettings.hasPIN)
      security.property("hasPattern", securitySettings.hasPattern)
      security.property("kidSafeModeEnabled", securitySettings.kidSafeModeEnabled)
    }
    object.property("themeMode", themeMode)
    object.property("valuesAsOf", valuesAsOf)
  }
}
