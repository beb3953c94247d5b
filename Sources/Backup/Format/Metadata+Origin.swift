extension Metadata {
  /// The kind of file that contains a `metadata.json`.
  package enum Container: String, Sendable {
    /// An archive with photo files.
    case zip = "ZIP"
    /// A JSON document without photo files.
    case json = "JSON"
  }

  /// The program that made a backup, as far as the content shows it.
  package enum Origin: String, Sendable {
    /// The Android app.
    case android
    /// The iOS app.
    case ios
    /// This project.
    case smilepile
    /// Unknown.
    case unknown
  }
}

extension Metadata.Origin {
  /// Recognizes the program by what only that program writes. This project: its own key. iOS: every property,
  /// settings with `isDarkMode` alone, paths relative to Documents, and until October 2025 one folder around
  /// everything. Android: no property that equals its default, so no `version` in an archive, and absolute paths or
  /// `content://` addresses.
  init(_ document: MetadataReading.Document, _ container: Metadata.Container, root: String) {
    let metadata = document.metadata
    self =
      if metadata.smilepile != nil {
        .smilepile
      } else if !root.isEmpty {
        .ios
      } else if metadata.photos.contains(where: \.hasAndroidPath) {
        .android
      } else if metadata.settings?.securitySettings == Metadata.SecurityRecord() {
        .ios
      } else if container == .zip, !document.hasVersion {
        .android
      } else {
        .unknown
      }
  }
}

extension Metadata.PhotoRecord {
  /// True if only Android writes such a path.
  fileprivate var hasAndroidPath: Bool {
    !isFromAssets
      && (path.hasPrefix("/data/") || path.hasPrefix("/storage/") || path.hasPrefix("content://"))
  }
}
