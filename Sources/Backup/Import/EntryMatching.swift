import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Zip

/// Finds the entry of each photo of a backup. Compares names by canonical equivalence, as Swift compares strings,
/// since the apps treat a manifest in NFC and an archive in NFD as equal.
struct EntryMatching {
  private(set) var photos: [OpenedBackup.Photo] = []
  private(set) var warnings: [String] = []
  /// Entries that the metadata does not mention.
  private(set) var unknownEntries: [String] = []
  /// Files of the manifest that belong to no photo.
  private(set) var leftOut: [Finding] = []
  /// Photos that were already corrupt when the backup was made.
  private(set) var corruptBeforeBackup: [Finding] = []

  /// The display name of each category, by its id.
  private let displayNames: [Int64: String]
  private let losses: [String: String]
  /// The cause for photos without a file that the backup does not explain.
  private let missingBefore: Unavailable
  private let writtenIDs: [Int64: Int64]

  /// - Parameters:
  ///   - writtenIDs: the id in the backup for each photo that got a new id.
  ///   - losses: the known reasons why entries are missing, by name.
  init(
    metadata: Metadata, entries: [Entry], root: String, writtenIDs: [Int64: Int64] = [:],
    losses: [String: String] = [:]
  ) {
    self.losses = losses
    self.writtenIDs = writtenIDs
    let isRepaired = metadata.smilepile?.repairedFrom.isEmpty == false
    missingBefore = Unavailable(.missingBeforeBackup(isRepaired: isRepaired))
    displayNames = metadata.displayNames
    var files = PhotoEntries(entries, below: root, manifest: metadata.photoManifest)
    var manifest = [Int64: Int](minimumCapacity: metadata.photoManifest.count)
    for (index, item) in metadata.photoManifest.enumerated() { manifest[item.photoId] = index }
    let filesStoredInBase = metadata.smilepile?.increment?.filesStoredInBase ?? []
    var indices = [Int64: Int](minimumCapacity: filesStoredInBase.count)
    for (index, file) in filesStoredInBase.enumerated() { indices[file.photoId] = index }
    let base = metadata.smilepile?.increment?.baseID ?? ""
    photos.reserveCapacity(metadata.photos.count)
    for record in metadata.photos {
      let item = manifest.removeValue(forKey: record.id).map { metadata.photoManifest[$0] }
      if record.isFromAssets {
        addAsset(record, item, &files)
      } else if let item {
        add(record, item, &files)
      } else if let index = indices.removeValue(forKey: record.id) {
        addStoredInBase(record, filesStoredInBase[index], base)
      } else {
        addPhotoWithoutManifestEntry(record, &files)
      }
    }
    for item in metadata.photoManifest where manifest[item.photoId] != nil {
      leftOut.append(
        Finding(
          item.zipEntryName.escaped,
          "the manifest lists it for photo \(item.photoId), which does not exist; the file was skipped"))
      files.leaveOut(item.zipEntryName)
    }
    unknownEntries = files.unknownEntries
  }

  /// Adds a photo that ships inside the app. iOS writes the files of such photos anyway. Such a photo is added with
  /// its file, since the other phone's app may not include the photo.
  private mutating func addAsset(
    _ record: Metadata.PhotoRecord, _ item: Metadata.ManifestEntry?, _ files: inout PhotoEntries
  ) {
    guard let item else {
      photos.append(.init(record: record, originalPath: record.path, location: .asset))
      return
    }
    guard files.has(item) else {
      warnings.append(
        "\(item.zipEntryName.escaped) is not in the archive; photo \(record.id) is an asset of the app")
      photos.append(.init(record: record, originalPath: record.path, location: .asset))
      return
    }
    var record = record
    record.isFromAssets = false
    record.shipsWithApp = true
    add(record, item, &files)
  }

  /// Adds a photo whose file is stored in the base.
  private mutating func addStoredInBase(
    _ record: Metadata.PhotoRecord, _ file: Metadata.FileStoredInBase, _ base: String
  ) {
    let unavailable = Unavailable(.storedInBase(archiveID: base), md5: MD5Digest(hex: file.checksum))
    photos.append(
      .init(record: record, originalPath: file.originalPath, location: .unavailable(unavailable)))
  }

  /// Adds a photo that the manifest does not list.
  private mutating func addPhotoWithoutManifestEntry(
    _ record: Metadata.PhotoRecord, _ files: inout PhotoEntries
  ) {
    let location: PhotoLocation
    if let (entry, name) = files.takeUnlistedEntry(named: possibleNames(of: record)) {
      warnings.append(
        "\(name.escaped) is not in the manifest; its name is that of photo \(record.id)")
      location = .entry(EntryReference(entry, md5: nil))
    } else {
      // an app that has lost a file leaves out its manifest entry
      location = .unavailable(missingBefore)
    }
    photos.append(.init(record: record, originalPath: record.path, location: location))
  }

  private mutating func add(
    _ record: Metadata.PhotoRecord, _ item: Metadata.ManifestEntry, _ files: inout PhotoEntries
  ) {
    let location: PhotoLocation
    switch files.take(item) {
    case .entry(let entry):
      location = .entry(EntryReference(entry, md5: checksum(of: item, size: entry.size)))
      if let expected = item.expectedChecksum {
        let label = PhotoLabel.label(
          id: record.id, category: displayNames[record.categoryId] ?? "", name: record.name)
        corruptBeforeBackup.append(
          Finding(label, "it was already damaged when the backup was made (its MD5 should be \(expected))"))
      }
    case .taken(let name):
      location = Self.unavailable(item, .sharedEntry(name: name))
    case .missing(let names):
      let reason = names.compactMap { losses[$0] }.first
      location = Self.unavailable(
        item, reason.map { .damaged($0) } ?? .notInArchive(name: item.zipEntryName))
    }
    photos.append(
      .init(
        record: record, originalPath: item.originalPath, location: location,
        originalMD5: item.expectedChecksum.flatMap { MD5Digest(hex: $0) }))
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
      warnings.append(
        "\(item.zipEntryName.escaped) has \(Count(size, "byte")); the manifest says \(item.fileSize)")
    }
    guard let text = item.checksum else { return nil }
    let digest = MD5Digest(hex: text)
    if digest == nil {
      warnings.append("\(item.zipEntryName.escaped): the manifest's checksum is not an MD5")
    }
    return digest
  }
}
