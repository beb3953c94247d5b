import Testing

/// A model of an app version that restores backups, written from the apps' public sources.
enum PhoneReader: String, CaseIterable, CustomTestStringConvertible {
  /// Reads JSON up to version 1. The app has no button for it.
  case android21 = "Android 09-21"
  /// Reads JSON and ZIP. Requires `cameraAccessAllowed`. From 09-22 to 09-26.
  case android22 = "Android 09-22"
  /// The same without favorites. For two hours of 09-27.
  case android27 = "Android 09-27"
  /// Requires the four other flags.
  case androidLast = "Android since 09-27"
  /// Requires every key and the four flags. The app has no button for it.
  case ios1 = "iOS 10-01"
  /// The first version with a button. Requires only `isDarkMode` of the settings.
  case ios8 = "iOS since 10-08"

  var testDescription: String { rawValue }

  /// Restores a backup on a phone that has no photos and no categories.
  ///
  /// - Throws: `Refusal`.
  func restore(_ backup: [UInt8]) throws -> Restored {
    switch self {
    case .android21, .android22, .android27, .androidLast: try AndroidReader(version: self).restore(backup)
    case .ios1, .ios8: try IOSReader(demandsSecurity: self == .ios1).restore(backup)
    }
  }

  /// The reason why a reader refuses a backup.
  struct Refusal: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
  }

  /// The content of the phone after the restore.
  struct Restored {
    /// The categories by their display names.
    var categories: [String] = []
    /// The photos that have a file.
    var photos: [Photo] = []
  }

  /// A photo that was restored with its file.
  struct Photo: Hashable {
    /// The display name of its category; nil if the app keeps the category ID of the backup, which any category of the
    /// phone may have.
    var category: String?
    /// The name that the app shows.
    var name: String
    /// The content of the file.
    var bytes: [UInt8]
  }
}
