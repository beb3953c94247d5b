/// `metadata.json`: what a SmilePile backup says of itself, as the two apps write it, version 1 (the JSON document
/// is the whole backup) and version 2 (it lies in a ZIP beside the photo files).
///
/// Android's serializer leaves out every property that equals its Kotlin default, so those are optional to read;
/// iOS demands every one, so all are written. Keys that both apps ignore carry what only this project knows.
/// All times are milliseconds since 1970, all ids 64 bits wide.
public struct Metadata: Sendable, Equatable {
  /// The newest version that this project reads.
  public static let newestVersion = 2

  /// 1 or 2.
  public var version = Metadata.newestVersion
  /// When the backup was made; nil where it does not say.
  public var exportDate: Int64?
  /// The version of the app that made it.
  public var appVersion = ""
  /// "ZIP" or "JSON".
  public var format = "ZIP"
  /// The piles.
  public var categories: [CategoryRecord] = []
  /// The rows, with or without files.
  public var photos: [PhotoRecord] = []
  /// The app's settings; nil in a damaged or foreign backup.
  public var settings: SettingsRecord?
  /// Which entry of the archive is which photo's file.
  public var photoManifest: [ManifestEntry] = []
  /// What only this project writes; nil in the apps' backups.
  public var smilepile: Provenance?

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
  public struct CategoryRecord: Sendable, Equatable {
    /// The category's id on its phone.
    public var id: Int64
    /// Its identity.
    public var name: String
    /// What the app shows.
    public var displayName: String
    /// Where it stands among the others.
    public var position: Int
    /// The name of an icon in the app.
    public var iconResource: String?
    /// "#RRGGBB".
    public var colorHex: String?
    /// Made by the app itself.
    public var isDefault = false
    /// When it was made.
    public var createdAt: Int64
    /// This project's: from when the values are.
    public var valuesAsOf: Int64?
  }

  /// The object of a photo.
  public struct PhotoRecord: Sendable, Equatable {
    /// The photo's id on its phone.
    public var id: Int64
    /// Where its file lay; never a place to write to.
    public var path: String
    /// The category it lies in.
    public var categoryId: Int64
    /// What the app shows.
    public var name: String
    /// The photo ships inside the app, and no file travels.
    public var isFromAssets = false
    /// When it was taken.
    public var createdAt: Int64
    /// The file's length as the phone's database had it.
    public var fileSize: Int64 = 0
    /// Width in pixels, 0 where unknown.
    public var width = 0
    /// Height in pixels, 0 where unknown.
    public var height = 0
    /// Marked as a favourite; nil in the backups of app versions that do not have favourites.
    public var isFavorite: Bool?
    /// This project's: the phone listed the photo among those that ship inside the app, and its file travels all the
    /// same.
    public var shipsWithApp = false
  }

  /// The object `settings`. Every version of the iOS app with an export button writes `isDarkMode` alone.
  public struct SettingsRecord: Sendable, Equatable {
    /// All that the apps know of the theme.
    public var isDarkMode: Bool?
    /// Flags only, never a PIN.
    public var securitySettings = SecurityRecord()
    /// This project's: "light", "dark" or "system", which `isDarkMode` cannot say.
    public var themeMode: String?
    /// This project's: from when the theme is.
    public var valuesAsOf: Int64?
  }

  /// The object `settings.securitySettings`. A flag that is nil leaves the library's alone.
  public struct SecurityRecord: Sendable, Equatable {
    /// The phone is protected by a PIN.
    public var hasPIN: Bool?
    /// The phone is protected by a pattern.
    public var hasPattern: Bool?
    /// The child sees photos and nothing else.
    public var kidSafeModeEnabled: Bool?
    /// Photos cannot be deleted without a parent.
    public var deleteProtectionEnabled: Bool?
    /// The child may use the camera. Android's builds of 22 to 27 September 2025 require it.
    public var cameraAccessAllowed: Bool?
    /// This project's: from when `hasPIN` is; nil for the date of `settings`.
    public var hasPINAsOf: Int64?
    /// This project's: from when `hasPattern` is; nil for the date of `settings`.
    public var hasPatternAsOf: Int64?
  }

  /// An object of `photoManifest`.
  public struct ManifestEntry: Sendable, Equatable {
    /// The photo whose file this is.
    public var photoId: Int64
    /// Where the file lay on the phone; its last component is the file's full name.
    public var originalPath: String
    /// The name of the entry, relative to the folder that holds metadata.json.
    public var zipEntryName: String
    /// The last component of `zipEntryName`, by which the apps open the entry.
    public var fileName: String
    /// The file's length as the phone's database had it; the entry's own may differ.
    public var fileSize: Int64
    /// MD5 of the file, 32 hexadecimal digits.
    public var checksum: String?
    /// This project's: the MD5 that the library had for the file, where its bytes no longer matched when the
    /// backup was made.
    public var expectedChecksum: String?
  }
}
