/// The content of a phone when its app makes a backup.
package struct Phone: Sendable, Equatable {
  /// The categories, in the order of the app.
  package var categories: [Category] = []
  /// The photos.
  package var photos: [Photo] = []
  /// The settings.
  package var settings = Settings()
  /// When the backup is made, in milliseconds since 1970.
  package var exportDate: Int64 = 1_760_450_000_123
  /// The version of the app.
  package var appVersion = "25.10.14.001"

  /// An empty phone.
  package init() {}

  /// A category.
  package struct Category: Sendable, Hashable {
    /// The id on this phone.
    package var id: Int64
    /// What the app shows.
    package var displayName: String
    /// The key that the apps form from it.
    package var name: String
    /// The position among the categories.
    package var position: Int
    /// The icon, nil for none.
    package var icon: String?
    /// The color.
    package var color: String
    /// Whether the app created it.
    package var isDefault: Bool
    /// When it was made, in milliseconds since 1970.
    package var createdAt: Int64

    /// A category whose `name` is the display name in lower case with blanks as `_`, as both apps form it.
    package init(
      _ id: Int64, _ displayName: String, icon: String? = nil, color: String = "#4CAF50",
      isDefault: Bool = false
    ) {
      self.id = id
      self.displayName = displayName
      name = displayName.lowercased().replacing(" ", with: "_")
      position = Int(truncatingIfNeeded: max(0, min(id - 1, 1000)))
      self.icon = icon
      self.color = color
      self.isDefault = isDefault
      createdAt = 1_758_500_000_000 + Int64(position) * 1000
    }
  }

  /// A row of the app's database, and its file.
  package struct Photo: Sendable, Hashable {
    /// The id on this phone.
    package var id: Int64
    /// The path of the file.
    package var path: String
    /// The category.
    package var categoryId: Int64
    /// When it was taken, in milliseconds since 1970.
    package var createdAt: Int64
    /// The content; nil if there is no such file.
    package var bytes: [UInt8]?
    /// The content after recompression to JPEG; nil if the file cannot be decoded.
    package var recompressed: [UInt8]?
    /// Whether it is a favorite, in the first versions.
    package var isFavorite = false
    /// Whether the app treats it as a photo that ships with the app.
    package var isFromAssets = false
    /// Whether it was edited in the iOS app, which then stores its date in seconds.
    package var isEdited = false

    /// A photo with content, which recompression changes to another picture.
    package init(
      _ id: Int64, _ path: String, in category: Int64, at createdAt: Int64 = 1_759_000_000_456,
      _ bytes: [UInt8]?
    ) {
      self.id = id
      self.path = path
      categoryId = category
      self.createdAt = createdAt
      self.bytes = bytes
      recompressed = bytes.map { Picture.jpeg(1 << 20 + $0.reduce(0) { ($0 &* 31 + Int($1)) & 0xF_FFFF }) }
    }

    /// The last component of the path.
    package var fileName: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The file name without its extension: what both apps show.
    package var name: String {
      guard let dot = fileName.lastIndex(of: "."), dot > fileName.startIndex else { return fileName }
      return String(fileName[..<dot])
    }
  }

  /// The flags of the app.
  package struct Settings: Sendable, Equatable {
    /// Whether the theme is dark.
    package var isDark = true
    /// Whether a PIN is set.
    package var hasPIN = true
    /// Whether a pattern is set.
    package var hasPattern = false
    /// Whether the app shows photos only.
    package var kidSafeMode = true
    /// Whether the child may use the camera.
    package var cameraAccess = true
    /// Whether photos are protected from deletion.
    package var deleteProtection = true

    /// A dark phone with a PIN, protected.
    package init() {}
  }

  /// The photos of a category.
  package func photos(in id: Int64) -> [Photo] { photos.filter { $0.categoryId == id } }
}
