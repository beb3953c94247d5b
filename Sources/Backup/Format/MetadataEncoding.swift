/// Writing, as both apps read it: every property written out, but nothing for a nil `iconResource`, `colorHex` or
/// `checksum`, as on iOS.
extension Metadata {
  /// The document: UTF-8, keys sorted, indented.
  public func json() -> [UInt8] {
    var writer = JSONWriter(capacity: approximateBytes)
    writer.object { root in
      root.property("appVersion", appVersion)
      root.list("categories", of: categories) { list, category in list.object { category.write(to: &$0) } }
      root.property("exportDate", exportDate)
      root.property("format", format)
      root.list("photoManifest", of: photoManifest) { list, entry in list.object { entry.write(to: &$0) } }
      root.list("photos", of: photos) { list, photo in list.object { photo.write(to: &$0) } }
      if let settings { root.object("settings") { settings.write(to: &$0) } }
      if let smilepile {
        root.object("smilepile") { object in
          object.property("includesSettings", smilepile.includesSettings)
          object.property("isPartial", smilepile.isPartial)
          object.property("uuid", smilepile.uuid)
        }
      }
      root.property("version", version)
    }
    return writer.bytes
  }

  /// More than most documents have: memory that is not written to costs nothing, and moving to more of it does.
  private var approximateBytes: Int {
    let rows = photos.reduce(0) { $0 + 300 + $1.path.utf8.count + $1.name.utf8.count }
    return photoManifest.reduce(4096 + categories.count * 512 + rows) { sum, entry in
      sum + 300 + entry.originalPath.utf8.count + entry.zipEntryName.utf8.count + entry.fileName.utf8.count
    }
  }
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
