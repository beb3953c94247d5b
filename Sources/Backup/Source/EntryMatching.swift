import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Zip

/// Finds the entry of each photo of a backup. Compares names by canonical equivalence, as Swift compares strings,
/// since the apps treat a manifest in NFC and an archive in NFD as equal.
struct EntryMatching {
  private(set) var photos: [OpenedBackup.Photo] = []
  /// Entries that the metadata does not mention.
  private(set) var unknownEntries: [String] = []

  private var messages = BoundedList<String>()
  private var unusedFiles = BoundedList<Finding>()
  private var corruptPhotos = BoundedList<Finding>()
  /// The display name of each category, by its id.
  private let displayNames: [Int64: String]
  private let losses: [String: String]
  private let writtenIDs: [Int64: Int64]

  /// - Parameters:
  ///   - writtenIDs: the id in the backup for each photo that got a new id.
  ///   - losses: why entries are missing, by name.
  init(
    metadata: Metadata, entries: [Entry], root: String, writtenIDs: [Int64: Int64] = [:],
    losses: [String: String] = [:]
  ) {
    self.losses = losses
    self.writtenIDs = writtenIDs
    let isRepaired = metadata.smilepile?.repairedFrom.isEmpty == false
    let asset = OpenedBackup.Photo.File(.asset)
    // an app leaves out the manifest entry of a photo whose file is missing
    let missing = OpenedBackup.Photo.File(
      .unavailable(Unavailable(.missingBeforeBackup(isRepaired: isRepaired))))
    displayNames = metadata.displayNames
    var files = PhotoEntries(entries, below: root, manifest: metadata.photoManifest)
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
        file = self.file(ofAsset: record, item, &files) ?? asset
      } else if let item {
        file = self.file(of: record, item, &files)
      } else if let index = indices.removeValue(forKey: record.id) {
        file = Self.file(storedInBase: filesStoredInBase[index], base)
      } else {
        file = self.unlistedFile(of: record, &files) ?? missing
      }
      photos.append(OpenedBackup.Photo(rows, at: row, file))
    }
    for item in metadata.photoManifest where manifest[item.photoId] != nil {
      unusedFiles.append(
        Finding(
          .entry(item.zipEntryName.shortened.escaped),
          "the manifest lists it for photo \(item.photoId), which does not exist; the file was skipped"))
      files.leaveOut(item.zipEntryName)
    }
    unknownEntries = files.unknownEntries
  }

  /// Contradictions between the manifest and the archive that change nothing.
  var warnings: [String] {
    messages.elements { "\(Count($0, "more file is", "more files are")) not as the manifest says" }
  }

  /// Files of the manifest that belong to no photo.
  var leftOut: [Finding] {
    unusedFiles.elements { count in
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
    ofAsset record: Metadata.PhotoRecord, _ item: Metadata.ManifestEntry?, _ files: inout PhotoEntries
  ) -> OpenedBackup.Photo.File? {
    guard let item else { return nil }
    guard files.has(item) else {
      messages.append(
        "\(item.zipEntryName.shortened.escaped) is not in the archive; photo \(record.id) is an asset of the app"
      )
      return nil
    }
    return file(of: record, item, isOfAsset: true, &files)
  }

  private static func file(
    storedInBase file: Metadata.FileStoredInBase, _ base: String
  ) -> OpenedBackup.Photo.File {
    let unavailable = Unavailable(.storedInBase(archiveID: base), md5: MD5Digest(hex: file.checksum))
    return OpenedBackup.Photo.File(.unavailable(unavailable), originalPath: file.originalPath)
  }

  /// Returns the file of a photo that the manifest does not list; nil if no entry has one of the possible names.
  private mutating func unlistedFile(
    of record: Metadata.PhotoRecord, _ files: inout PhotoEntries
  ) -> OpenedBackup.Photo.File? {
    guard let (entry, name) = files.takeUnlistedEntry(named: possibleNames(of: record)) else { return nil }
    messages.append(
      "\(name.shortened.escaped) is not in the manifest; its name is that of photo \(record.id)")
    return OpenedBackup.Photo.File(.entry(EntryReference(entry, md5: nil)))
  }

  private mutating func file(
    of record: Metadata.PhotoRecord, _ item: Metadata.ManifestEntry, isOfAsset: Bool = false,
    _ files: inout PhotoEntries
  ) -> OpenedBackup.Photo.File {
    let location: PhotoLocation
    switch files.take(item) {
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
    case .taken(let name):
      location = Self.unavailable(item, .sharedEntry(name: name))
    case .missing(let names):
      let reason = names.compactMap { losses[$0] }.first
      location = Self.unavailable(
        item, reason.map { .damaged($0) } ?? .notInArchive(name: item.zipEntryName))
    }
    return OpenedBackup.Photo.File(
      location, originalPath: item.originalPath,
      originalMD5: item.expectedChecksum.flatMap { MD5Digest(hex: $0) }, isOfAsset: isOfAsset)
  }

  private static func unavailable(
    _ item: Metadata.ManifestEntry, _ cause: Unavailable.Cause
  ) -> PhotoLocation {
    .unavailable(Unavailable(cause, md5: item.checksum.flatMap { MD5Digest(hex: $0) }))
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
      messages.append(
        "\(item.zipEntryName.shortened.escaped): the manifest's checksum is not an MD5")
    }
    return digest
  }
}
