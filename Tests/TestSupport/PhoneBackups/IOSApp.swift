import Checksums
import Foundation

/// The iOS app. Makes a backup of a phone as its export button or its code does. Writes every key; sizes are always 0.
package struct IOSApp: PhoneApp {
  /// The builds between which the backup changed, by the day of the first.
  package enum Release: Int, Sendable, Comparable {
    /// A zipped folder; four security flags. Its button was a stub.
    case october1
    /// The first with a button. `settings` has only `isDarkMode`.
    case october8
    /// Flat, by ZIPFoundation.
    case october14
    /// Categories of certain names are left out.
    case october17

    /// Compares by age.
    package static func < (one: Release, other: Release) -> Bool { one.rawValue < other.rawValue }
  }

  /// The version of the app.
  package var release: Release
  /// The order in which the system lists the folder.
  package var seed: UInt64 = 1

  /// A version of the app.
  package init(_ release: Release) { self.release = release }

  /// The rows that this version puts into a backup, with the bytes of their files.
  package func taken(from phone: Phone) -> Phone {
    var taken = phone
    if release == .october17 { taken.categories.removeAll { AndroidApp.leftOut.contains($0.name) } }
    for index in taken.categories.indices { taken.categories[index].icon = nil }
    for index in taken.photos.indices {
      taken.photos[index].isFavorite = false
      if taken.photos[index].isEdited { taken.photos[index].createdAt /= 1000 }
    }
    // this app has neither
    taken.settings.hasPattern = false
    taken.settings.deleteProtection = false
    return taken
  }

  /// The document, with the keys that this version writes.
  package func document(of phone: Phone) -> PhoneJSON {
    let taken = taken(from: phone)
    let names = fileNames(of: taken)
    let flags: PhoneJSON = .object(of: [
      "hasPIN": .bool(taken.settings.hasPIN), "hasPattern": .bool(false),
      "kidSafeModeEnabled": .bool(taken.settings.kidSafeMode), "deleteProtectionEnabled": .bool(false),
    ])
    return .object(of: [
      "version": .number(2), "exportDate": .number(phone.exportDate),
      "appVersion": .string(phone.appVersion), "format": .string("ZIP"),
      "categories": .array(taken.categories.map(category)),
      "photos": .array(taken.photos.map(photo)),
      "settings": .object(of: [
        "isDarkMode": .bool(taken.settings.isDark),
        "securitySettings": release == .october1 ? flags : nil,
      ]),
      "photoManifest": .array(
        zip(taken.photos, names).compactMap { photo, name in manifestEntry(photo, name) }),
    ])
  }

  /// The files, under the names that this version gives them.
  package func files(of phone: Phone) -> [PhoneFile] {
    let taken = taken(from: phone)
    return zip(taken.photos, fileNames(of: taken)).compactMap { photo, name in
      photo.bytes.map { PhoneFile(name: name, bytes: $0) }
    }
  }

  /// The file as this version's serializer and ZIP writer write it.
  package func backup(_ document: PhoneJSON, _ files: [PhoneFile]) -> [UInt8] {
    var entries = [("metadata.json", Array(document.foundation.utf8))]
    // the file system hands out decomposed names; the manifest keeps the composed ones
    entries += files.map { ("photos/\($0.name.decomposedStringWithCanonicalMapping)", $0.bytes) }
    if release < .october14 {
      var archive = FolderZip(root: "backup_temp_\(1_760_450_000_000 + Int64(seed))")
      for (name, bytes) in entries { archive.add(name, bytes) }
      return archive.bytes
    }
    var random = SeededNumbers(seed: seed)
    var archive = ZIPFoundationZip()
    for (name, bytes) in entries.shuffled(using: &random) { archive.add(name, bytes) }
    return archive.bytes
  }

  /// The names below `photos/`. A duplicate name gets the ID, and then ends in a dot if it has no extension.
  private func fileNames(of taken: Phone) -> [String] {
    var given: Set<String> = []
    return taken.photos.map { photo in
      guard photo.bytes != nil else { return "" }
      var name = photo.fileName
      if !given.insert(name).inserted {
        let dot = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil }
        let suffix = dot.map { name[name.index(after: $0)...] } ?? ""
        name = "\(photo.name)_\(photo.id).\(suffix)"
        given.insert(name)
      }
      return name
    }
  }

  private func category(_ category: Phone.Category) -> PhoneJSON {
    .object(of: [
      "id": .number(category.id), "name": .string(category.name),
      "displayName": .string(category.displayName), "position": .number(Int64(category.position)),
      "colorHex": .string(category.color), "isDefault": .bool(category.isDefault),
      "createdAt": .number(category.createdAt),
    ])
  }

  private func photo(_ photo: Phone.Photo) -> PhoneJSON {
    .object(of: [
      "id": .number(photo.id), "path": .string(photo.path), "categoryId": .number(photo.categoryId),
      "name": .string(photo.name), "isFromAssets": .bool(photo.isFromAssets),
      "createdAt": .number(photo.createdAt), "fileSize": .number(0), "width": .number(0),
      "height": .number(0),
    ])
  }

  private func manifestEntry(_ photo: Phone.Photo, _ name: String) -> PhoneJSON? {
    guard let bytes = photo.bytes else { return nil }
    return .object(of: [
      "photoId": .number(photo.id), "originalPath": .string(photo.path),
      "zipEntryName": .string("photos/\(name)"), "fileName": .string(name), "fileSize": .number(0),
      "checksum": .string(MD5Digest(of: bytes).description),
    ])
  }
}
