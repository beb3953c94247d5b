import Checksums
import Foundation
import PhotoLibrary

extension ExportPlan {
  /// The rows of `metadata.json`, made as they are asked for.
  var records: some Sequence<Metadata.PhotoRecord> {
    photos.lazy.map { photo in
      let path = "photos/\(Self.entryFileName(photo, isEncrypted: isEncrypted))"
      return record(photo, path: photo.isFromAssets ? photo.path : path)
    }
  }

  /// The manifest of a backup with files (version 2), made as it is asked for.
  ///
  /// - Parameter digests: the MD5 of each item's bytes, as they are in the archive.
  func manifest(_ digests: [MD5Digest]) -> some Sequence<Metadata.ManifestEntry> {
    items.indices.lazy.map { index in
      let (item, digest) = (items[index], digests[index])
      return Metadata.ManifestEntry(
        photoId: item.photo.id, originalPath: item.photo.originalPath, zipEntryName: item.entryName,
        fileName: item.fileName, fileSize: Int64(item.size), checksum: digest.description,
        expectedChecksum: digest == item.photo.md5 ? nil : item.photo.md5?.description)
    }
  }

  /// A backup of version 1: the document alone. `path` says where the file lies in the library, so that
  /// `import --photos-from` finds it there.
  func jsonBackup(uuid: UUID, exportDate: Int64) -> [UInt8] {
    var metadata = document(uuid: uuid, exportDate: exportDate)
    metadata.version = 1
    metadata.format = "JSON"
    var json: [UInt8] = []
    metadata.write(photos: photos.lazy.map { record($0, path: $0.path) }, manifest: EmptyCollection()) {
      json += $0
    }
    return json
  }

  /// `metadata.json` without its photos and their files.
  func document(uuid: UUID, exportDate: Int64, state: String? = nil) -> Metadata {
    var metadata = Metadata()
    metadata.exportDate = exportDate
    metadata.appVersion = Version.current
    metadata.categories = categoryRecords
    let settings = settings ?? Settings(createdAt: exportDate)
    metadata.settings = Metadata.SettingsRecord(settings)
    var provenance = Metadata.Provenance(
      uuid: uuid.uuidString, isPartial: isPartial,
      // defaults that no backup stated say nothing about what anybody wants
      includesSettings: !settings.isDefault)
    if provenance.includesSettings { provenance.defaultSettings = settings.defaultKeys }
    provenance.library = library
    provenance.tags = tags
    provenance.state = state
    provenance.selection = selection
    provenance.part = part
    provenance.increment = increment
    metadata.smilepile = provenance
    return metadata
  }

  private var categoryRecords: [Metadata.CategoryRecord] {
    categories.map { category in
      Metadata.CategoryRecord(
        id: category.id, name: category.name, displayName: category.displayName,
        position: category.position.clamped(to: Metadata.positions), iconResource: category.iconResource,
        colorHex: category.colorHex,
        isDefault: category.isDefault, createdAt: category.createdAt.clamped(to: Metadata.dates),
        valuesAsOf: category.valuesAsOf == .min ? .min : category.valuesAsOf.clamped(to: Metadata.dates))
    }
  }

  /// The categories that Android's merge cannot find again, as the app shows them; none of an encrypted archive, which no
  /// phone opens.
  var categoriesAndroidCannotFind: [String] {
    isEncrypted
      ? [] : AndroidCategoryNames(categoryRecords).unfindable.map { categories[$0].displayName }
  }

  private func record(_ photo: Photo, path: String) -> Metadata.PhotoRecord {
    Metadata.PhotoRecord(
      id: photo.id, path: path, categoryId: photo.categoryId, name: photo.name,
      isFromAssets: photo.isFromAssets, createdAt: photo.createdAt.clamped(to: Metadata.dates),
      fileSize: Int64(photo.fileSize), width: photo.width.clamped(to: Metadata.pixels),
      height: photo.height.clamped(to: Metadata.pixels), isFavorite: photo.isFavorite,
      shipsWithApp: photo.shipsWithApp)
  }
}
