import Zip

/// Classifies the entries of a backup by name. The entries are at the root, as in Android's archives, or in one
/// folder that contains everything, as in iOS's archives.
extension Entry {
  /// The names of a backup's texts.
  static let metadataEntryNames: Set<String> = [
    MetadataEntries.metadataName, MetadataEntries.checksumsName, "categories.json",
  ]

  /// True for `metadata.json`.
  var isMetadata: Bool {
    name == MetadataEntries.metadataName
      || name.hasSuffix("/" + MetadataEntries.metadataName) && name.count { $0 == "/" } == 1
  }

  /// For `metadata.json`: the folder that contains everything, with its slash; empty at the root.
  var rootByMetadata: String { String(name.dropLast(MetadataEntries.metadataName.count)) }

  /// True for one of the texts.
  var isTextOfBackup: Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count <= 2 && Self.metadataEntryNames.contains(String(parts[parts.count - 1]))
  }

  /// Returns true if an entry with this name is in `photos/`.
  static func isInPhotos(_ name: String) -> Bool { isIn("photos", name) }

  /// True for an entry that was made from the photos: a thumbnail, a page or a picture of a gallery, or the summary of the
  /// categories. No operation imports or copies such an entry, and damage to it is no damage to the backup.
  var isDerived: Bool { Self.isDerived(name) }

  /// Returns true for the name of an entry that was made from the photos.
  static func isDerived(_ name: String) -> Bool {
    var parts = name.split(separator: "/", omittingEmptySubsequences: false)[...]
    guard parts.last?.isEmpty == false else { return false }
    if let first = parts.first, parts.count > 1, !["photos", "thumbnails", "gallery"].contains(first) {
      parts = parts.dropFirst()
    }
    return switch (parts.first, parts.count) {
    case ("index.html", 1), ("categories_summary.json", 1), ("thumbnails", 2): true
    case ("gallery", 2): name.hasSuffix(".html")
    case ("gallery", 3): parts[parts.startIndex + 1] == "view"
    default: false
    }
  }

  /// Returns true for an entry in a folder with this name, at the root or in one folder.
  func isIn(_ folder: String) -> Bool { Self.isIn(folder, name) }

  private static func isIn(_ folder: String, _ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return (parts.count == 2 || parts.count == 3) && parts[parts.count - 2] == folder
      && parts.last?.isEmpty == false
  }

  /// True for the extra files that macOS adds to archives.
  var isIgnored: Bool { name.hasPrefix("__MACOSX/") || name == ".DS_Store" || name.hasSuffix("/.DS_Store") }
}
