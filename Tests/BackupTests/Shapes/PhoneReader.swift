import Testing

/// A version of an app that restores backups: a model of it, put together from the apps' public sources alone.
enum PhoneReader: String, CaseIterable, CustomTestStringConvertible {
  /// JSON alone, version 1 at most; no button led to it.
  case android21 = "Android 09-21"
  /// JSON and ZIP; demands `cameraAccessAllowed`. From 09-22 to 09-26.
  case android22 = "Android 09-22"
  /// The same without favorites, for two hours of 09-27.
  case android27 = "Android 09-27"
  /// Demands the four other flags.
  case androidLast = "Android since 09-27"
  /// Demands every key and the four flags; no button led to it.
  case ios1 = "iOS 10-01"
  /// The first with a button; of the settings it demands `isDarkMode` alone.
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

  /// Why a reader does not open a backup.
  struct Refusal: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
  }

  /// What is on the phone afterwards.
  struct Restored {
    /// The categories by their display names.
    var categories: [String] = []
    /// The photos that have a file.
    var photos: [Photo] = []
  }

  /// A photo that was restored with its file.
  struct Photo: Hashable {
    /// The display name of the category in which it is shown; nil if it is filed under an id of the backup, which any
    /// category of the phone may have.
    var category: String?
    /// What the app shows.
    var name: String
    /// The content of the file.
    var bytes: [UInt8]
  }
}
