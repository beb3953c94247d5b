import Foundation

/// Restores a backup with the strategy "merge" as versions of the iOS app do.
struct IOSReader {
  /// Whether `settings` must have the four flags.
  var demandsSecurity: Bool

  func restore(_ backup: [UInt8]) throws -> PhoneReader.Restored {
    guard backup.count <= 1 << 30 else { throw PhoneReader.Refusal("the file exceeds 1 GiB") }
    let entries = try ReaderZip(bytes: backup).directory()
    guard entries.count <= 10_000 else { throw PhoneReader.Refusal("too many entries") }
    // the file system compares names by canonical equivalence, as String does
    var (files, total): ([String: [UInt8]], Int) = ([:], 0)
    for entry in entries {
      guard !entry.name.contains("..") else { throw PhoneReader.Refusal("invalid path \(entry.name)") }
      total += entry.content.count
      guard total <= 1 << 30 else { throw PhoneReader.Refusal("the content exceeds 1 GiB") }
      if let compressedSize = entry.compressedSize, compressedSize > 0,
        Double(entry.content.count) / Double(compressedSize) > 100
      {
        throw PhoneReader.Refusal("suspicious compression ratio")
      }
      let parts = entry.name.split(separator: "/")
      guard parts.allSatisfy({ $0.utf8.count <= 255 }) else {
        throw PhoneReader.Refusal("the file system refuses \(entry.name)")
      }
      guard files.updateValue(entry.content, forKey: parts.joined(separator: "/")) == nil else {
        throw PhoneReader.Refusal("\(entry.name) exists")
      }
    }
    guard let metadata = files["metadata.json"] else { throw PhoneReader.Refusal("no metadata.json") }
    return try merge(try ReaderObject(json: metadata), files)
  }

  private func merge(_ root: ReaderObject, _ files: [String: [UInt8]]) throws -> PhoneReader.Restored {
    try checkTypes(root)
    var categories: [(id: Int64, displayName: String)] = []
    for row in try root.list("categories") {
      let (id, displayName) = (try row.number("id"), try row.text("displayName"))
      if let index = categories.firstIndex(where: { $0.id == id }) {
        categories[index].displayName = displayName
      } else if !categories.contains(where: { $0.displayName == displayName }) {
        categories.append((id, displayName))
      }
    }
    let names = Dictionary(uniqueKeysWithValues: categories.map { ($0.id, $0.displayName) })
    let manifest = try root.list("photoManifest").map { (try $0.number("photoId"), try $0.text("fileName")) }
    // a second row with the same ID replaces the first
    var (photos, paths): ([Int64: PhoneReader.Photo], Set<String>) = ([:], [])
    for row in try root.list("photos") {
      let (id, category) = (try row.number("id"), try row.number("categoryId"))
      guard let fileName = manifest.first(where: { $0.0 == id })?.1,
        let content = files["photos/\(fileName)"], paths.insert(try row.text("path")).inserted, category > 0
      else { continue }
      photos[id] = PhoneReader.Photo(category: names[category], name: try row.text("name"), bytes: content)
    }
    return PhoneReader.Restored(categories: categories.map(\.displayName), photos: Array(photos.values))
  }

  /// Requires each property that is not optional, as Swift's decoder does.
  private func checkTypes(_ root: ReaderObject) throws {
    let version = try root.number("version")
    guard (1...2).contains(version) else { throw PhoneReader.Refusal("unsupported version \(version)") }
    _ = (try root.number("exportDate"), try root.text("appVersion"), try root.text("format"))
    let settings = try root.object("settings")
    _ = try settings.bool("isDarkMode")
    if demandsSecurity {
      let security = try settings.object("securitySettings")
      for key in ["hasPIN", "hasPattern", "kidSafeModeEnabled", "deleteProtectionEnabled"] {
        _ = try security.bool(key)
      }
    }
    for row in try root.list("categories") {
      _ = (try row.number("id"), try row.text("name"), try row.text("displayName"))
      _ = (try row.number("position"), try row.bool("isDefault"), try row.number("createdAt"))
      for key in ["iconResource", "colorHex"] { try row.demandOptionalText(key) }
    }
    for row in try root.list("photos") {
      for key in ["id", "categoryId", "createdAt", "fileSize", "width", "height"] { _ = try row.number(key) }
      _ = (try row.text("path"), try row.text("name"), try row.bool("isFromAssets"))
    }
    for item in try root.list("photoManifest") {
      _ = (try item.number("photoId"), try item.number("fileSize"))
      for key in ["originalPath", "zipEntryName", "fileName"] { _ = try item.text(key) }
      try item.demandOptionalText("checksum")
    }
  }
}
