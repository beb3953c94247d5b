import Foundation

/// Restores a backup with the strategy "merge" as versions of the Android app do.
struct AndroidReader {
  var version: PhoneReader

  func restore(_ backup: [UInt8]) throws -> PhoneReader.Restored {
    guard backup.starts(with: [0x50, 0x4B, 3, 4]), version != .android21 else {
      let document = try document(backup)
      var phone = Merged()
      for category in document.categories { phone.insert(category) }
      // a JSON backup has no files, so its photos are not restored
      return PhoneReader.Restored(categories: phone.displayNames)
    }
    let entries = try ReaderZip(bytes: backup).forward()
    try checkLimits(entries)
    var files: [[UInt8]: [UInt8]] = [:]
    for entry in entries { files[Array(entry.name.utf8)] = entry.content }
    guard let metadata = files[Array("metadata.json".utf8)] else {
      throw PhoneReader.Refusal("ZIP does not contain required metadata.json")
    }
    return merge(try document(metadata), files)
  }

  private func checkLimits(_ entries: [ReaderZipEntry]) throws {
    guard entries.count <= 10_000 else { throw PhoneReader.Refusal("too many entries") }
    var total = 0
    for entry in entries {
      let name = Array(entry.name.utf8)
      let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      // the app's own rule, and that of Android 14
      guard !name.contains(UInt8(ascii: "\\")), name.first != UInt8(ascii: "/"),
        name.last != UInt8(ascii: "/"), !entry.name.contains("../"), !parts.contains(Array("..".utf8)[...])
      else { throw PhoneReader.Refusal("unsafe path \(entry.name)") }
      guard parts.allSatisfy({ $0.count <= 255 }) else {
        throw PhoneReader.Refusal("the file system refuses \(entry.name)")
      }
      guard let size = entry.size, let compressedSize = entry.compressedSize, size > 0 else { continue }
      total += size
      guard total <= 1 << 30 else { throw PhoneReader.Refusal("uncompressed size exceeds limit") }
      guard size / max(compressedSize, 1) <= 100 else {
        throw PhoneReader.Refusal("compression ratio too high")
      }
    }
  }

  /// Decodes the document as kotlinx.serialization does: a property with a default may be missing, and no property may
  /// have another type.
  private func document(_ json: [UInt8]) throws -> Document {
    let root = try ReaderObject(json: json)
    let newest: Int64 = version == .android21 ? 1 : 2
    let written = root.has("version") ? try root.number("version") : newest
    guard (1...newest).contains(written) else { throw PhoneReader.Refusal("unsupported version \(written)") }
    for key in ["appVersion", "format"] where root.has(key) { _ = try root.text(key) }
    if root.has("exportDate") { _ = try root.number("exportDate") }

    let settings = try root.object("settings")
    let security = try settings.object("securitySettings")
    _ = try settings.bool("isDarkMode")
    for key in ["hasPIN", "hasPattern", "kidSafeModeEnabled", "deleteProtectionEnabled"] {
      _ = try security.bool(key)
    }
    if version != .androidLast { _ = try security.bool("cameraAccessAllowed") }

    var document = Document()
    document.categories = try root.list("categories").map { row in
      for key in ["position", "createdAt"] { _ = try row.number(key) }
      for key in ["iconResource", "colorHex"] { try row.demandOptionalText(key) }
      if row.has("isDefault") { _ = try row.bool("isDefault") }
      return try Document.Category(
        id: row.number("id"), name: row.text("name"), displayName: row.text("displayName"))
    }
    document.photos = try root.list("photos").map { row in
      _ = (try row.text("path"), try row.number("createdAt"))
      if row.has("isFromAssets") { _ = try row.bool("isFromAssets") }
      if [.android21, .android22].contains(version), row.has("isFavorite") { _ = try row.bool("isFavorite") }
      for key in ["fileSize", "width", "height"] where row.has(key) { _ = try row.number(key) }
      return try Document.Photo(
        id: row.number("id"), categoryId: row.number("categoryId"), name: row.text("name"))
    }
    guard version != .android21, root.has("photoManifest") else { return document }
    document.photoManifest = try root.list("photoManifest").map { item in
      _ = (try item.text("originalPath"), try item.text("zipEntryName"), try item.number("fileSize"))
      try item.demandOptionalText("checksum")
      return try Document.ManifestEntry(photoId: item.number("photoId"), fileName: item.text("fileName"))
    }
    return document
  }

  private func merge(_ document: Document, _ files: [[UInt8]: [UInt8]]) -> PhoneReader.Restored {
    var phone = Merged()
    for category in document.categories { phone.insert(category) }
    var restored = PhoneReader.Restored(categories: phone.displayNames)
    var paths: Set<[UInt8]> = []
    for row in document.photos {
      guard let item = document.photoManifest.first(where: { $0.photoId == row.id }),
        let content = files[Array("photos/\(item.fileName)".utf8)],
        paths.insert(Array(item.fileName.utf8)).inserted
      else { continue }
      let category = document.categories.first { $0.id == row.categoryId }
      let place = category.flatMap { phone.find($0.name) }
      // a photo needs a category above 0
      guard place != nil || row.categoryId > 0 else { continue }
      restored.photos.append(PhoneReader.Photo(category: place, name: row.name, bytes: content))
    }
    return restored
  }

  /// The categories of the phone while a backup is merged.
  private struct Merged {
    var displayNames: [String] = []

    /// Returns the category that the app finds by a `name`: the parts between `_` are capitalized and joined by spaces.
    func find(_ name: String) -> String? {
      let parts = name.split(separator: "_", omittingEmptySubsequences: false).map { part in
        // Kotlin's first character is a UTF-16 unit; a letter outside of the first plane stays as it is
        guard let first = part.unicodeScalars.first, first.value < 0x1_0000 else { return String(part) }
        var rest = String.UnicodeScalarView(part.unicodeScalars)
        rest.removeFirst()
        return first.properties.uppercaseMapping + String(rest)
      }
      let wanted = Self.folded(parts.joined(separator: " "))
      return displayNames.first { Self.folded($0) == wanted }
    }

    mutating func insert(_ category: Document.Category) {
      if let found = find(category.name), let index = displayNames.firstIndex(of: found) {
        displayNames[index] = category.displayName
      } else {
        displayNames.append(category.displayName)
      }
    }

    /// SQLite's NOCASE folds ASCII letters only.
    private static func folded(_ text: String) -> [UInt8] {
      text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
  }

  /// The parts of the document that a merge needs.
  private struct Document {
    var categories: [Category] = []
    var photos: [Photo] = []
    var photoManifest: [ManifestEntry] = []

    struct Category {
      var id: Int64
      var name: String
      var displayName: String
    }

    struct Photo {
      var id: Int64
      var categoryId: Int64
      var name: String
    }

    struct ManifestEntry {
      var photoId: Int64
      var fileName: String
    }
  }
}
