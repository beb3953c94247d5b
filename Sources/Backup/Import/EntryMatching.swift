import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Zip

/// Finds the entry of each photo of a backup. Names are compared by canonical equivalence (as Swift compares
/// strings), since a manifest in NFC and an archive in NFD are the same to the apps.
struct EntryMatching {
  private(set) var photos: [OpenedBackup.Photo] = []
  private(set) var warnings: [String] = []
  /// Entries that the metadata does not mention.
  private(set) var unknownEntries: [String] = []
  /// Files of the manifest that belong to no photo.
  private(set) var leftOut: [Finding] = []
  /// Photos whose bytes were no longer right when the backup was made.
  private(set) var damagedBefore: [Finding] = []

  /// What is shown of each category, by its id.
  private let displayNames: [Int64: String]
  private let losses: [String: String]
  /// The cause for photos without a file that the backup does not explain.
  private let missingBefore: Unavailable
  private let writtenIDs: [Int64: Int64]

  /// - Parameters:
  ///   - writtenIDs: for each photo that got a new id, the one that the backup has.
  ///   - losses: why an entry is not there, by its name, where that is known.
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
    let heldFiles = metadata.smilepile?.increment?.held ?? []
    var held = [Int64: Int](minimumCapacity: heldFiles.count)
    for (index, file) in heldFiles.enumerated() { held[file.photoId] = index }
    let base = metadata.smilepile?.increment?.base ?? ""
    photos.reserveCapacity(metadata.photos.count)
    for record in metadata.photos {
      let item = manifest.removeValue(forKey: record.id).map { metadata.photoManifest[$0] }
      if record.isFromAssets {
        addAsset(record, item, &files)
      } else if let item {
        add(record, item, &files)
      } else if let index = held.removeValue(forKey: record.id) {
        addStoredInBase(record, heldFiles[index], base)
      } else {
        addUnlisted(record, &files)
      }
    }
    for item in metadata.photoManifest where manifest[item.photoId] != nil {
      leftOut.append(
        Finding(item.zipEntryName.escaped, "no photo has the id \(item.photoId); the file was left out"))
      files.leaveOut(item.zipEntryName)
    }
    unknownEntries = files.unknownEntries
  }

  /// Adds a photo that ships inside the app. iOS writes the files of such photos all the same; then it is a photo like
  /// any other, since the other phone's app may not have it.
  private mutating func addAsset(
    _ record: Metadata.PhotoRecord, _ item: Metadata.ManifestEntry?, _ files: inout PhotoEntries
  ) {
    guard let item else {
      photos.append(.init(record: record, originalPath: record.path, location: .asset))
      return
    }
    guard files.has(item) else {
      warnings.append(
        "\(item.zipEntryName.escaped): is not in the archive; photo \(record.id) ships inside the app")
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
    _ record: Metadata.PhotoRecord, _ file: Metadata.HeldFile, _ base: String
  ) {
    let unavailable = Unavailable(.storedInBase(archiveID: base), md5: MD5Digest(hex: file.checksum))
    photos.append(
      .init(record: record, originalPath: file.originalPath, location: .unavailable(unavailable)))
  }

  /// Adds a photo that the manifest leaves out.
  private mutating func addUnlisted(_ record: Metadata.PhotoRecord, _ files: inout PhotoEntries) {
    let location: PhotoLocation
    if let (entry, name) = files.takeUnlisted(names(ofUnlisted: record)) {
      warnings.append(
        "\(name.escaped): the manifest does not name it; by its name it is photo \(record.id)'s file")
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
        damagedBefore.append(
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

  /// The names that either app would have given the file of a photo that the manifest leaves out.
  private func names(ofUnlisted record: Metadata.PhotoRecord) -> [String] {
    let name = record.path.split(separator: "/").last ?? ""
    let id = writtenIDs[record.id] ?? record.id
    return name.isEmpty ? [] : ["photos/\(id)_\(name)", "photos/\(name)"]
  }

  /// The MD5 that the manifest gives. The size there is the database's figure, and 0 on iOS, which means unknown; another
  /// size alone is only worth a warning.
  private mutating func checksum(of item: Metadata.ManifestEntry, size: Int) -> MD5Digest? {
    if item.fileSize != size, item.fileSize != 0 {
      warnings.append("\(item.zipEntryName.escaped): \(size) bytes long, the manifest says \(item.fileSize)")
    }
    guard let text = item.checksum else { return nil }
    let digest = MD5Digest(hex: text)
    if digest == nil { warnings.append("\(item.zipEntryName.escaped): the manifest's checksum is no MD5") }
    return digest
  }
}
