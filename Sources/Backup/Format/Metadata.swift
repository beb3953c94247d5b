/// `metadata.json`: what a SmilePile backup says of itself, as the two apps write it, version 1 (the JSON document
/// is the whole backup) and version 2 (it lies in a ZIP beside the photo files).
///
/// Android's serializer leaves out every property that equals its Kotlin default, so those are optional to read;
/// iOS demands every one, so all are written. Keys that both apps ignore carry what only this project knows.
/// All times are milliseconds since 1970, all ids 64 bits wide.
package struct Metadata: Sendable, Equatable {
  /// The newest version that this project reads.
  package static let newestVersion = 2

  /// 1 or 2.
  package var version = Metadata.newestVersion
  /// When the backup was made; nil where it does not say.
  package var exportDate: Int64?
  /// The version of the app that made it.
  package var appVersion = ""
  /// "ZIP" or "JSON".
  package var format = "ZIP"
  /// The piles.
  package var categories: [CategoryRecord] = []
  /// The rows, with or without files.
  package var photos: [PhotoRecord] = []
  /// The app's settings; nil in a damaged or foreign backup.
  package var settings: SettingsRecord?
  /// Which entry of the archive is which photo's file.
  package var photoManifest: [ManifestEntry] = []
  /// What only this project writes; nil in the apps' backups.
  package var smilepile: Provenance?

  /// The same without the lists that grow with the photos.
  var withoutPhotos: Metadata {
    var rest = self
    rest.photos = []
    rest.photoManifest = []
    rest.smilepile?.increment?.held = []
    return rest
  }

  /// What is shown of each category, by its id.
  var displayNames: [Int64: String] {
    Dictionary(uniqueKeysWithValues: categories.map { ($0.id, $0.displayName) })
  }

  /// The object of a category.
  package struct CategoryRecord: Sendable, Equatable {
    /// The category's id on its phone.
    package var id: Int64
    /// Its identity.
    package var name: String
    /// What the app shows.
    package var displayName: String
    /// Where it stands among the others.
    package var position: Int
    /// The name of an icon in the app.
    package var iconResource: String?
    /// "#RRGGBB".
    package var colorHex: String?
    /// Made by the app itself.
    package var isDefault = false
    /// When it was made.
    package var createdAt: Int64
    /// This project's: from when the values are.
    package var valuesAsOf: Int64?
  }

  /// The object of a photo.
  package struct PhotoRecord: Sendable, Equatable {
    /// The photo's id on its phone.
    package var id: Int64
    /// Where its file lay; never a place to write to.
    package var path: String
    /// The category it lies in.
    package var categoryId: Int64
    /// What the app shows.
    package var name: String
    /// The photo ships inside the app, and no file travels.
    package var isFromAssets = false
    /// When it was taken.
    package var createdAt: Int64
    /// The file's length as the phone's database had it.
    package var fileSize: Int64 = 0
    /// Width in pixels, 0 where unknown.
    package var width = 0
    /// Height in pixels, 0 where unknown.
    package var height = 0
    /// Marked as a favourite; nil in the backups of app versions that do not have favourites.
    package var isFavorite: Bool?
    /// This project's: the phone listed the photo among those that ship inside the app, and its file travels all the
    /// same.
    package var shipsWithApp = false
  }

  /// The object `settings`. Every version of the iOS app with an export button writes `isDarkMode` alone.
  package struct SettingsRecord: Sendable, Equatable {
    /// All that the apps know of the theme.
    package var isDarkMode: Bool?
    /// Flags only, never a PIN.
    package var securitySettings = SecurityRecord()
    /// This project's: "light", "dark" or "system", which `isDarkMode` cannot say.
    package var themeMode: String?
    /// This project's: from when the theme is.
    package var valuesAsOf: Int64?
  }

  /// The object `settings.securitySettings`. A flag that is nil leaves the library's alone.
  package struct SecurityRecord: Sendable, Equatable {
    /// The phone is protected by a PIN.
    package var hasPIN: Bool?
    /// The phone is protected by a pattern.
    package var hasPattern: Bool?
    /// The child sees photos and nothing else.
    package var kidSafeModeEnabled: Bool?
    /// Photos cannot be deleted without a parent.
    package var deleteProtectionEnabled: Bool?
    /// The child may use the camera. Android's builds of 22 to 27 September 2025 require it.
    package var cameraAccessAllowed: Bool?
    /// This project's: from when `hasPIN` is; nil for the date of `settings`.
    package var hasPINAsOf: Int64?
    /// This project's: from when `hasPattern` is; nil for the date of `settings`.
    package var hasPatternAsOf: Int64?
  }

  /// An object of `photoManifest`.
  package struct ManifestEntry: Sendable, Equatable {
    /// The photo whose file this is.
    package var photoId: Int64
    /// Where the file lay on the phone; its last component is the file's full name.
    package var originalPath: String
    /// The name of the entry, relative to the folder that holds metadata.json.
    package var zipEntryName: String
    /// The last component of `zipEntryName`, by which the apps open the entry.
    package var fileName: String
    /// The file's length as the phone's database had it; the entry's own may differ.
    package var fileSize: Int64
    /// MD5 of the file, 32 hexadecimal digits.
    package var checksum: String?
    /// This project's: the MD5 that the library had for the file, where its bytes no longer matched when the
    /// backup was made.
    package var expectedChecksum: String?
  }
}
