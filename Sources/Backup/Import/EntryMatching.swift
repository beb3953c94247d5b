import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Zip

/// Finds the entry of each photo of a backup. Names are compared by canonical equivalence (as Swift compares
/// strings), since a manifest in NFC and an archive in NFD are the same to the apps.
struct EntryMatching {
  private(set) var photos: [BackupSource.Photo] = []
  private(set) var warnings: [String] = []
  private(set) var strangers: [String] = []
  /// Photos whose bytes were no longer right when the backup was made.
  private(set) var damagedBefore: [Finding] = []

  /// - Parameter losses: why an entry is not there, by its name, where that is known.
  init(
    metadata: Metadata, entries all: [Entry], root: String, losses: [String: String] = [:]
  ) {
    let names = all.map { Self.name(of: $0, below: root) }
    var places = [String: Int](minimumCapacity: all.count)
    for (place, entry) in all.enumerated() where !entry.isDirectory && !entry.isIgnored {
      places[names[place]] = place
    }
    let categories = Dictionary(uniqueKeysWithValues: metadata.categories.map { ($0.id, $0.displayName) })
    var manifest = [Int64: Int](minimumCapacity: metadata.photoManifest.count)
    for (index, item) in metadata.photoManifest.enumerated() { manifest[item.photoId] = index }

    var held: [Int64: Metadata.HeldFile] = [:]
    for file in metadata.smilepile?.increment?.held ?? [] { held[file.photoId] = file }

    // by place, since names of entries are many and long
    var isUsed = [Bool](repeating: false, count: all.count)
    for place in Entry.textsOfBackup.compactMap({ places[$0] }) { isUsed[place] = true }
    lazy var named = Set(metadata.photoManifest.map(\.zipEntryName))
    lazy var fileNames = Set(metadata.photoManifest.map { "photos/\($0.fileName)" })
    photos.reserveCapacity(metadata.photos.count)
    for record in metadata.photos {
      let item = manifest.removeValue(forKey: record.id).map { metadata.photoManifest[$0] }
      guard !record.isFromAssets else {
        photos.append(.init(record: record, originalPath: record.path, content: .asset))
        if let item {
          if let place = places[item.zipEntryName] { isUsed[place] = true }
          warnings.append(
            "\(item.zipEntryName.escaped): photo \(record.id) ships inside the app, and needs no file")
        }
        continue
      }
      guard let item else {
        if let file = held.removeValue(forKey: record.id) {
          let reason = BackupChain.reason(archive: metadata.smilepile?.increment?.base ?? "")
          photos.append(
            .init(
              record: record, originalPath: file.originalPath,
              content: .absent(reason: reason, isDamage: false, md5: MD5Digest(hex: file.checksum)),
              isHeld: true))
          continue
        }
        let found = Self.names(ofUnlisted: record).lazy.compactMap { places[$0] }.first {
          !isUsed[$0] && !named.contains(names[$0]) && !fileNames.contains(names[$0])
        }
        if let place = found {
          isUsed[place] = true
          warnings.append(
            "\(names[place].escaped): the manifest does not name it; by its name it is photo \(record.id)'s file"
          )
          photos.append(
            .init(record: record, originalPath: record.path, content: .entry(all[place], md5: nil)))
          continue
        }
        // the app lost the file before it made the backup, and says so by leaving the manifest entry out
        photos.append(
          .init(
            record: record, originalPath: record.path,
            content: .absent(reason: "its file was lost before the backup was made", isDamage: false)))
        continue
      }
      var found = places[item.zipEntryName]
      let otherName = found == nil ? "photos/\(item.fileName)" : ""
      // the second name only where no other photo's manifest entry names it itself
      if found == nil, let place = places[otherName], !named.contains(otherName) { found = place }
      let md5 = item.checksum.flatMap { MD5Digest(hex: $0) }
      let content: BackupSource.Content
      if let place = found, !isUsed[place] {
        isUsed[place] = true
        content = .entry(all[place], md5: checksum(of: item, size: all[place].size))
        if let expected = item.expectedChecksum {
          let label = PhotoLabel.label(
            id: record.id, category: categories[record.categoryId] ?? "", name: record.name)
          damagedBefore.append(
            Finding(label, "it was already damaged when the backup was made (its MD5 should be \(expected))"))
        }
      } else if let place = found {
        // one entry for each photo: a small archive must not grow by being asked for again and again
        let reason = "its file \(names[place].escaped) is another photo's too"
        content = .absent(reason: reason, isDamage: true, md5: md5)
      } else {
        let reason =
          losses[item.zipEntryName] ?? losses[otherName]
          ?? "its file \(item.zipEntryName.escaped) is not in the archive"
        content = .absent(reason: reason, isDamage: true, md5: md5)
      }
      photos.append(
        .init(
          record: record, originalPath: item.originalPath, content: content,
          expected: item.expectedChecksum.flatMap { MD5Digest(hex: $0) }))
    }
    for item in metadata.photoManifest where manifest[item.photoId] != nil {
      warnings.append("\(item.zipEntryName.escaped): no photo has the id \(item.photoId)")
      if let place = places[item.zipEntryName] { isUsed[place] = true }
    }
    // of two entries of one name, which only a damaged archive has, the later one was looked up
    strangers = all.indices.filter { place in
      !isUsed[place] && !all[place].isDirectory && !all[place].isIgnored
        && !names[place].hasPrefix("thumbnails/") && !isUsed[places[names[place]] ?? place]
    }.map { all[$0].name }
  }

  /// The name that the manifest gives an entry.
  private static func name(of entry: Entry, below root: String) -> String {
    root.isEmpty ? entry.name : String(entry.name.dropFirst(root.count))
  }

  /// The names that either app would have given the file of a photo that the manifest leaves out.
  private static func names(ofUnlisted record: Metadata.PhotoRecord) -> [String] {
    let name = record.path.split(separator: "/").last ?? ""
    return name.isEmpty ? [] : ["photos/\(record.id)_\(name)", "photos/\(name)"]
  }

  /// The MD5 that the manifest gives. On iOS the size is the database's figure, so another size alone is
  /// only worth a warning.
  private mutating func checksum(of item: Metadata.ManifestEntry, size: Int) -> MD5Digest? {
    if item.fileSize != size {
      warnings.append("\(item.zipEntryName.escaped): \(size) bytes long, the manifest says \(item.fileSize)")
    }
    guard let text = item.checksum else { return nil }
    let digest = MD5Digest(hex: text)
    if digest == nil { warnings.append("\(item.zipEntryName.escaped): the manifest's checksum is no MD5") }
    return digest
  }
}
