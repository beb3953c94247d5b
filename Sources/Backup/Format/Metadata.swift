import Operations

/// `metadata.json`: the description of a SmilePile backup in the format of the two apps. In version 1 the JSON
/// document is the complete backup. In version 2 the document is in a ZIP archive with the photo files.
///
/// Android's serializer omits every property that equals its Kotlin default, so reading treats those properties as
/// optional. iOS requires every property, so writing includes all of them. Both apps ignore the keys that only this
/// project uses. All times are milliseconds since 1970. All ids have 64 bits.
package struct Metadata: Sendable, Equatable {
  /// The newest version that this project reads.
  package static let newestVersion = 2

  /// 1 or 2.
  package var version = Metadata.newestVersion
  /// When the backup was made; nil if the backup does not record it.
  package var exportDate: Timestamp?
  /// The version of the app that made the backup.
  package var appVersion = ""
  /// "ZIP" or "JSON".
  package var format = "ZIP"
  /// The categories (the piles of the app).
  package var categories: [CategoryRecord] = []
  /// The rows, with or without files.
  package var photos: [PhotoRecord] = []
  /// The app's settings; nil in a damaged or third-party backup.
  package var settings: SettingsRecord?
  /// Maps entries of the archive to photos.
  package var photoManifest: [ManifestEntry] = []
  /// This project's own data; nil in the apps' backups.
  package var smilepile: Provenance?

  /// The metadata without the lists that grow with the photos.
  var withoutPhotos: Metadata {
    var rest = self
    rest.photos = []
    rest.photoManifest = []
    rest.smilepile?.increment?.filesStoredInBase = []
    return rest
  }

  /// The display name of each category by its id.
  var displayNames: [Int64: String] {
    Dictionary(uniqueKeysWithValues: categories.map { ($0.id, $0.displayName) })
  }

  /// The object of a category.
  package struct CategoryRecord: Sendable, Equatable {
    /// The category's id on its phone.
    package var id: Int64
    /// The identity of the category.
    package var name: String
    /// This project's key in documents whose `name` is another one, by which Android finds the category; otherwise nil.
    var ownName: String?
    /// The name that the app shows.
    package var displayName: String
    /// The position among the categories.
    package var position: Int
    /// The name of an icon in the app.
    package var iconResource: String?
    /// "#RRGGBB".
    package var colorHex: String?
    /// True if the app itself made the category.
    package var isDefault = false
    /// When the category was made.
    package var createdAt: Timestamp
    /// This project's key: the date of the values.
    package var valuesAsOf: Timestamp?
    /// This project's key: when a person last set values of the category in a library.
    package var arrangedAt: Timestamp?
  }

  /// The object of a photo.
  package struct PhotoRecord: Sendable, Equatable {
    /// The photo's id on its phone.
    package var id: Int64
    /// The path of the file on the phone. Never write to this path.
    package var path: String
    /// The id of the photo's category.
    package var categoryId: Int64
    /// The name that the app shows.
    package var name: String
    /// True if the photo ships inside the app, so that the backup has no file for the photo.
    package var isFromAssets = false
    /// When the photo was taken.
    package var createdAt: Timestamp
    /// The file's length according to the phone's database.
    package var fileSize: Int64 = 0
    /// Width in pixels, 0 if unknown.
    package var width = 0
    /// Height in pixels, 0 if unknown.
    package var height = 0
    /// True if the photo is a favorite; nil in the backups of app versions that do not have favorites.
    package var isFavorite: Bool?
    /// This project's key: true if the phone listed the photo as shipping inside the app, but the backup has its
    /// file.
    package var shipsWithApp = false
  }

  /// The object `settings`. Every version of the iOS app with an export button writes only `isDarkMode`.
  package struct SettingsRecord: Sendable, Equatable {
    /// The theme, as far as the apps distinguish themes.
    var isDarkMode: Bool?
    /// Flags only, never a PIN.
    var securitySettings = SecurityRecord()
    /// This project's key: "light", "dark" or "system", which `isDarkMode` cannot express.
    package var themeMode: String?
    /// This project's key: the date of the theme.
    package var valuesAsOf: Timestamp?
  }

  /// The object `settings.securitySettings`. A nil flag leaves the library's flag unchanged.
  struct SecurityRecord: Sendable, Equatable {
    /// True if a PIN protects the phone.
    var hasPIN: Bool?
    /// True if a pattern protects the phone.
    var hasPattern: Bool?
    /// True if the child sees only photos.
    var kidSafeModeEnabled: Bool?
    /// True if only a parent can delete photos.
    var deleteProtectionEnabled: Bool?
    /// True if the child may use the camera. Android's builds of 22 to 27 September 2025 require this property.
    var cameraAccessAllowed: Bool?
    /// This project's key: the date of `hasPIN`; nil for the date of `settings`.
    var hasPINAsOf: Timestamp?
    /// This project's key: the date of `hasPattern`; nil for the date of `settings`.
    var hasPatternAsOf: Timestamp?
  }

  /// An object of `photoManifest`.
  package struct ManifestEntry: Sendable, Equatable {
    /// The id of the photo that the file belongs to.
    package var photoId: Int64
    /// The path of the file on the phone. Its last component is the file's full name.
    package var originalPath: String
    /// The name of the entry, relative to the folder that contains metadata.json.
    var zipEntryName: String
    /// The last component of `zipEntryName`. The apps open the entry by this name.
    package var fileName: String
    /// The file's length according to the phone's database. The length of the entry may differ.
    package var fileSize: Int64
    /// MD5 of the file, 32 hexadecimal digits.
    package var checksum: String?
    /// This project's key: the MD5 in the library, if the file no longer matched it when the backup was made.
    var expectedChecksum: String?
  }
}
