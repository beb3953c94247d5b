import Checksums
import Foundation
import PhotoLibrary

extension ExportPlan {
  /// The rows of `metadata.json`, lazily.
  var records: some Sequence<Metadata.PhotoRecord> {
    photos.lazy.map { photo in
      let name = Self.entryFileName(photo, isEncrypted: isEncrypted, limit: fileNameLimit)
      let path = "photos/\(name)"
      return record(photo, path: photo.isFromAssets ? photo.path : path)
    }
  }

  /// Returns the manifest of a backup with files (version 2), lazily.
  ///
  /// - Parameter digests: the MD5 of each item in the archive.
  func manifest(_ digests: [MD5Digest]) -> some Sequence<Metadata.ManifestEntry> {
    items.indices.lazy.map { index in
      let (item, digest) = (items[index], digests[index])
      let isIntact =
        digest == item.photo.md5 || item.photo.isDamagedRow(of: FileContent(md5: digest, size: item.size))
      return Metadata.ManifestEntry(
        photoId: item.photo.id, originalPath: item.photo.originalPath, zipEntryName: item.entryName,
        fileName: item.fileName, fileSize: Int64(item.size), checksum: digest.description,
        expectedChecksum: isIntact ? nil : item.photo.md5?.description)
    }
  }

  /// Returns a backup of version 1, a single document. `path` is the path of the file in the library, where
  /// `import --photos-from` finds the file.
  func jsonBackup(uuid: UUID, exportDate: Timestamp) -> [UInt8] {
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
  func document(uuid: UUID, exportDate: Timestamp, fingerprint: ContentFingerprint? = nil) -> Metadata {
    var provenance = contentProvenance
    provenance.uuid = uuid.uuidString
    provenance.library = libraryID
    (provenance.sequence, provenance.earlierIDs) = (history.sequence, history.earlierIDs)
    provenance.tags = tags
    if !isPartial { provenance.movements = movements.map(Metadata.Movement.init) }
    provenance.fingerprint = fingerprint?.description
    provenance.selection = selectionDigest
    provenance.part = part
    provenance.increment = increment?.record(of: photos)
    var metadata = document(provenance, exportDate: exportDate)
    metadata.appVersion = Version.current
    return metadata
  }

  /// The document without values that differ between two exports of the same content: the program, the time, and
  /// the paths of the files.
  var contentDocument: Metadata {
    var metadata = document(contentProvenance, exportDate: 0)
    metadata.appVersion = ""
    return metadata
  }

  private var contentProvenance: Metadata.Provenance {
    // default settings are not the user's choice
    var provenance = Metadata.Provenance(
      uuid: "", isPartial: isPartial, includesSettings: settings?.isDefault == false)
    if provenance.includesSettings { provenance.defaultSettings = settings?.defaultKeys ?? [] }
    return provenance
  }

  private func document(_ provenance: Metadata.Provenance, exportDate: Timestamp) -> Metadata {
    var metadata = Metadata()
    metadata.exportDate = exportDate
    metadata.categories = categoryRecords
    metadata.settings = Metadata.SettingsRecord(settings ?? Settings(createdAt: exportDate))
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
        valuesAsOf: category.valuesAsOf == .min ? .min : category.valuesAsOf.clamped(to: Metadata.dates),
        arrangedAt: category.arrangedAt?.clamped(to: Metadata.dates))
    }
  }

  /// The categories that Android's merge cannot find again, as the app shows them. Empty for an encrypted archive,
  /// which phones cannot open.
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
