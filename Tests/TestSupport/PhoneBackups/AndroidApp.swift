import Checksums

/// The Android app. Makes a backup of a phone as its export button or its code does.
///
/// kotlinx.serialization leaves out each property that equals its default, so a ZIP has no `version` and no `format`.
package struct AndroidApp: PhoneApp {
  /// The builds between which the backup changed, by the day of the first.
  package enum Release: Int, Sendable, Comparable {
    /// JSON version 1 only, before the key `format`.
    case september21
    /// The first ZIP; photos byte for byte.
    case september22
    /// Photos are recompressed; icons.
    case september26
    /// No favorites.
    case september27
    /// Two hours later: no camera access.
    case september27Later
    /// Categories of certain names are left out; assets by their names.
    case october17

    /// Compares by age.
    package static func < (one: Release, other: Release) -> Bool { one.rawValue < other.rawValue }
  }

  /// The kind of file.
  package enum Format: Sendable {
    /// The document only.
    case json
    /// The document and the photos.
    case zip
  }

  /// The version of the app.
  package var release: Release
  /// The kind of file.
  package var format: Format
  /// Whether photo files are included.
  package var includesPhotos = true
  /// Whether settings are included. Otherwise every flag is false.
  package var includesSettings = true
  /// Only these categories; nil for all.
  package var categories: Set<Int64>?
  /// Only photos and categories that are newer than this date: an incremental backup.
  package var since: Int64?
  /// Whether the document is written in the millisecond in which it is made, so that `exportDate` equals its default.
  package var leavesOutExportDate = false
  /// The order in which the system lists the photo folder.
  package var seed: UInt64 = 1

  /// An app that exports everything.
  package init(_ release: Release, _ format: Format = .zip) {
    self.release = release
    self.format = format
  }

  /// The names of the categories that the app of October 17 leaves out.
  package static let leftOut: Set<String> = [
    "milestones", "birthdays", "holidays", "family", "playtime", "friends", "creativity", "adventures",
  ]

  /// The rows that this version puts into a backup, with the bytes of their files.
  package func taken(from phone: Phone) -> Phone {
    var taken = phone
    if let categories {
      taken.categories.removeAll { !categories.contains($0.id) }
      taken.photos.removeAll { !categories.contains($0.categoryId) }
    }
    if let since {
      // the app asks for the photos of the changed categories
      taken.categories.removeAll { $0.createdAt <= since }
      let changed = Set(taken.categories.map(\.id))
      taken.photos.removeAll { !changed.contains($0.categoryId) || $0.createdAt < since }
    }
    if release == .october17 { taken.categories.removeAll { Self.leftOut.contains($0.name) } }
    for index in taken.photos.indices {
      if format == .json || !includesPhotos || taken.photos[index].isFromAssets {
        taken.photos[index].bytes = nil
      } else if release >= .september26, let jpeg = taken.photos[index].recompressed {
        taken.photos[index].bytes = taken.photos[index].bytes == nil ? nil : jpeg
      }
      if release >= .september27 { taken.photos[index].isFavorite = false }
    }
    for index in taken.categories.indices {
      if release < .september26 { taken.categories[index].icon = nil }
      if release == .september21 {
        taken.categories[index].position = 0
        taken.categories[index].isDefault = false
      }
    }
    if !includesSettings {
      taken.settings.isDark = false
      taken.settings.hasPIN = false
      taken.settings.hasPattern = false
      taken.settings.kidSafeMode = false
      taken.settings.cameraAccess = false
      taken.settings.deleteProtection = false
    }
    return taken
  }

  /// The document, with the keys that this version writes.
  package func document(of phone: Phone) -> PhoneJSON {
    let taken = taken(from: phone)
    let isDocumentAlone = format == .json && release > .september21
    let manifest = taken.photos.compactMap(manifestEntry)
    return .object(of: [
      "version": isDocumentAlone ? .number(1) : nil,
      "exportDate": leavesOutExportDate ? nil : .number(phone.exportDate),
      "appVersion": .string(phone.appVersion),
      "format": isDocumentAlone ? .string("JSON") : nil,
      "categories": .array(taken.categories.map(category)),
      "photos": .array(taken.photos.map(photo)),
      "settings": .object(of: [
        "isDarkMode": .bool(taken.settings.isDark), "securitySettings": security(taken.settings),
      ]),
      "photoManifest": manifest.isEmpty ? nil : .array(manifest),
    ])
  }

  /// The files, under the names that this version gives them.
  package func files(of phone: Phone) -> [PhoneFile] {
    taken(from: phone).photos.compactMap { photo in
      photo.bytes.map { PhoneFile(name: entryName(photo), bytes: $0) }
    }
  }

  /// The file as this version's serializer and ZIP writer write it.
  package func backup(_ document: PhoneJSON, _ files: [PhoneFile]) -> [UInt8] {
    let text = Array(document.kotlin.utf8)
    guard format == .zip else { return text }
    var random = SeededNumbers(seed: seed)
    var zip = JavaZip()
    zip.add("metadata.json", text)
    for file in files.shuffled(using: &random) { zip.add("photos/\(file.name)", file.bytes) }
    return zip.bytes
  }

  private func entryName(_ photo: Phone.Photo) -> String { "\(photo.id)_\(photo.fileName)" }

  private func category(_ category: Phone.Category) -> PhoneJSON {
    .object(of: [
      "id": .number(category.id), "name": .string(category.name),
      "displayName": .string(category.displayName), "position": .number(Int64(category.position)),
      "iconResource": category.icon.map { .string($0) }, "colorHex": .string(category.color),
      "isDefault": category.isDefault ? .bool(true) : nil, "createdAt": .number(category.createdAt),
    ])
  }

  private func photo(_ photo: Phone.Photo) -> PhoneJSON {
    .object(of: [
      "id": .number(photo.id), "path": .string(photo.path), "categoryId": .number(photo.categoryId),
      "name": .string(photo.name), "isFromAssets": photo.isFromAssets ? .bool(true) : nil,
      "createdAt": .number(photo.createdAt), "isFavorite": photo.isFavorite ? .bool(true) : nil,
    ])
  }

  private func security(_ settings: Phone.Settings) -> PhoneJSON {
    .object(of: [
      "hasPIN": .bool(settings.hasPIN), "hasPattern": .bool(settings.hasPattern),
      "kidSafeModeEnabled": .bool(settings.kidSafeMode),
      "cameraAccessAllowed": release < .september27Later ? .bool(settings.cameraAccess) : nil,
      "deleteProtectionEnabled": .bool(settings.deleteProtection),
    ])
  }

  private func manifestEntry(_ photo: Phone.Photo) -> PhoneJSON? {
    guard let bytes = photo.bytes else { return nil }
    let name = entryName(photo)
    return .object(of: [
      "photoId": .number(photo.id), "originalPath": .string(photo.path),
      "zipEntryName": .string("photos/\(name)"), "fileName": .string(name),
      "fileSize": .number(Int64(bytes.count)), "checksum": .string(MD5Digest(of: bytes).description),
    ])
  }
}
