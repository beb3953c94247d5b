import Zip

/// What an entry is in a backup, by its name: at the root, as in Android's archives, or in one folder that holds
/// everything, as in those of iOS.
extension Entry {
  /// The texts of a backup.
  static let textsOfBackup: Set<String> = [
    ArchiveTexts.metadataName, ArchiveTexts.checksumsName, "categories.json",
  ]

  /// `metadata.json`.
  var isMetadata: Bool {
    name == ArchiveTexts.metadataName
      || name.hasSuffix("/" + ArchiveTexts.metadataName) && name.count { $0 == "/" } == 1
  }

  /// For `metadata.json`: the folder that holds everything, with its slash; empty at the root.
  var rootByMetadata: String { String(name.dropLast(ArchiveTexts.metadataName.count)) }

  /// One of the texts.
  var isTextOfBackup: Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count <= 2 && Self.textsOfBackup.contains(String(parts[parts.count - 1]))
  }

  /// Whether an entry of that name is in `photos/`.
  static func isInPhotos(_ name: String) -> Bool { isIn("photos", name) }

  /// In `thumbnails/`.
  var isThumbnail: Bool { Self.isIn("thumbnails", name) }

  /// In a folder of this name, at the root or in one folder.
  func isIn(_ folder: String) -> Bool { Self.isIn(folder, name) }

  private static func isIn(_ folder: String, _ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return (parts.count == 2 || parts.count == 3) && parts[parts.count - 2] == folder
      && parts.last?.isEmpty == false
  }

  /// What macOS leaves in archives that it makes.
  var isIgnored: Bool { name.hasPrefix("__MACOSX/") || name == ".DS_Store" || name.hasSuffix("/.DS_Store") }
}
