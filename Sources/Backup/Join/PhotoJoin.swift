import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Zip

/// Joins the rows of a backup with their files: by the name that the manifest states, then by other names, then by
/// content in `complete(from:)`. Compares names by canonical equivalence, as Swift compares strings, since the apps
/// treat a manifest in NFC and an archive in NFD as equal.
struct PhotoJoin {
  /// The photos, in the order of the rows.
  var photos: [OpenedBackup.Photo] = []
  /// Entries that the metadata does not mention.
  var unknownEntries: [String] = []

  private var messages = BoundedList<String>()
  private var filesWithoutPhotos = BoundedList<Finding>()
  private var corruptPhotos = BoundedList<Finding>()
  /// The display name of each category, by its id.
  private let displayNames: [Int64: String]
  private let writtenIDs: [Int64: Int64]

  /// Joins by name.
  ///
  /// - Parameters:
  ///   - writtenIDs: the id in the backup for each photo that got a new id.
  ///   - missing: why entries are missing, by name.
  init(
    _ metadata: Metadata, _ entries: [Entry], below root: String = "", writtenIDs: [Int64: Int64] = [:],
    missing: [String: String] = [:]
  ) {
    var entries = NamedEntries(entries, below: root, manifest: metadata.photoManifest, missing: missing)
    self.writtenIDs = writtenIDs
    let isRepaired = metadata.smilepile?.repairedFrom.isEmpty == false
    let asset = OpenedBackup.Photo.File(.asset)
    // an app leaves out the manifest entry of a photo whose file is missing
    let noFile = OpenedBackup.Photo.File(
      .unavailable(Unavailable(.missingBeforeBackup(isRepaired: isRepaired))))
    displayNames = metadata.displayNames
    var manifest = [Int64: Int](minimumCapacity: metadata.photoManifest.count)
    for (index, item) in metadata.photoManifest.enumerated() { manifest[item.photoId] = index }
    let filesStoredInBase = metadata.smilepile?.increment?.filesStoredInBase ?? []
    var indices = [Int64: Int](minimumCapacity: filesStoredInBase.count)
    for (index, file) in filesStoredInBase.enumerated() { indices[file.photoId] = index }
    let base = metadata.smilepile?.increment?.baseID ?? ""
    let rows = OpenedBackup.Photo.Rows(metadata.photos)
    photos.reserveCapacity(metadata.photos.count)
    for (row, record) in metadata.photos.enumerated() {
      let file: OpenedBackup.Photo.File
      let item = manifest.removeValue(forKey: record.id).map { metadata.photoManifest[$0] }
      if record.isFromAssets {
        file = self.file(ofAsset: record, item, &entries) ?? asset
      } else if let item {
        file = self.file(of: record, item, entries.take(item))
      } else if let index = indices.removeValue(forKey: record.id) {
        let stored = filesStoredInBase[index]
        let unavailable = Unavailable(.storedInBase(archiveID: base), md5: MD5Digest(hex: stored.checksum))
        file = OpenedBackup.Photo.File(.unavailable(unavailable), originalPath: stored.originalPath)
      } else {
        file = unlistedFile(of: record, &entries) ?? noFile
      }
      photos.append(OpenedBackup.Photo(rows, at: row, file))
    }
    for item in metadata.photoManifest where manifest[item.photoId] != nil {
      filesWithoutPhotos.append(
        Finding(
          .entry(item.zipEntryName.shortened.escaped),
          "the manifest lists it for photo \(item.photoId), which does not exist; the file was skipped"))
      entries.skip(item.zipEntryName)
    }
    unknownEntries = entries.unknown
  }

  /// Contradictions between the manifest and the archive that change nothing.
  var warnings: [String] {
    messages.elements { "\(Count($0, "more file is", "more files are")) not as the manifest says" }
  }

  /// Files of the manifest that belong to no photo.
  var skippedFiles: [Finding] {
    filesWithoutPhotos.elements { count in
      Finding(
        .entry("photoManifest"),
        "the manifest lists \(Count(count, "more file", "more files")) of photos that do not exist")
    }
  }

  /// Photos that were already corrupt when the backup was made.
  var corruptBeforeBackup: [Finding] {
    corruptPhotos.elements { count in
      Finding(
        .entry("photoManifest"),
        "\(Count(count, "more photo was", "more photos were")) already damaged when the backup was made")
    }
  }

  /// Returns the file of a photo that ships inside the app; nil if the archive does not contain it. iOS writes the
  /// files of such photos anyway. Such a photo is added with its file, since the other phone's app may not include the
  /// photo.
  private mutating func file(
    ofAsset record: Metadata.PhotoRecord, _ item: Metadata.ManifestEntry?, _ entries: inout NamedEntries
  ) -> OpenedBackup.Photo.File? {
    guard let item else { return nil }
    let match = entries.take(item)
    if case .entry = match { return file(of: record, item, match) }
    messages.append(
      "\(item.zipEntryName.shortened.escaped) is not in the archive; photo \(record.id) is an asset of the app"
    )
    return nil
  }

  /// Returns the file of a photo that the manifest does not list; nil if no entry has one of the possible names.
  private mutating func unlistedFile(
    of record: Metadata.PhotoRecord, _ entries: inout NamedEntries
  ) -> OpenedBackup.Photo.File? {
    guard let (entry, name) = entries.takeUnlistedEntry(named: possibleNames(of: record)) else { return nil }
    messages.append(
      "\(name.shortened.escaped) is not in the manifest; its name is that of photo \(record.id)")
    return OpenedBackup.Photo.File(.entry(EntryReference(entry, md5: nil)))
  }

  private mutating func file(
    of record: Metadata.PhotoRecord, _ item: Metadata.ManifestEntry, _ match: NamedEntries.Match
  ) -> OpenedBackup.Photo.File {
    let location: PhotoLocation
    switch match {
    case .entry(let entry):
      location = .entry(EntryReference(entry, md5: checksum(of: item, size: entry.size)))
      if let expected = item.expectedChecksum {
        let label = Finding.Subject.photo(
          id: record.id, category: displayNames[record.categoryId] ?? "", name: record.name)
        corruptPhotos.append(
          Finding(
            label,
            "it was already damaged when the backup was made (its MD5 should be \(expected.shortened.escaped))"
          ))
      }
    case .unavailable(let cause):
      location = .unavailable(Unavailable(cause, md5: item.checksum.flatMap { MD5Digest(hex: $0) }))
    }
    return OpenedBackup.Photo.File(
      location, originalPath: item.originalPath,
      originalMD5: item.expectedChecksum.flatMap { MD5Digest(hex: $0) }, isOfAsset: record.isFromAssets)
  }

  /// Returns the names that either app would give the file of a photo that the manifest does not list.
  private func possibleNames(of record: Metadata.PhotoRecord) -> [String] {
    let name = record.path.split(separator: "/").last ?? ""
    let id = writtenIDs[record.id] ?? record.id
    return name.isEmpty ? [] : ["photos/\(id)_\(name)", "photos/\(name)"]
  }

  /// Returns the MD5 in the manifest. The size in the manifest comes from the phone's database and is 0 on iOS,
  /// which means unknown. A different size only causes a warning.
  private mutating func checksum(of item: Metadata.ManifestEntry, size: Int) -> MD5Digest? {
    if item.fileSize != size, item.fileSize != 0 {
      messages.append(
        "\(item.zipEntryName.shortened.escaped) has \(Count(size, "byte")); the manifest says \(item.fileSize)"
      )
    }
    guard let text = item.checksum else { return nil }
    let digest = MD5Digest(hex: text)
    if digest == nil {
      messages.append("\(item.zipEntryName.shortened.escaped): the manifest's checksum is not an MD5")
    }
    return digest
  }
}
