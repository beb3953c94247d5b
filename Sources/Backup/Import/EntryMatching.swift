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
    var entries: [String: Entry] = [:]
    for entry in all where !entry.isDirectory && !entry.isIgnored {
      entries[String(entry.name.dropFirst(root.count))] = entry
    }
    let categories = Dictionary(uniqueKeysWithValues: metadata.categories.map { ($0.id, $0.displayName) })
    var manifest: [Int64: Metadata.ManifestEntry] = [:]
    for entry in metadata.photoManifest { manifest[entry.photoId] = entry }

    var used = Entry.textsOfBackup
    let named = Set(metadata.photoManifest.map(\.zipEntryName))
    for record in metadata.photos {
      guard !record.isFromAssets else {
        photos.append(.init(record: record, originalPath: record.path, content: .asset))
        if let item = manifest.removeValue(forKey: record.id) {
          used.insert(item.zipEntryName)
          warnings.append(
            "\(item.zipEntryName.escaped): photo \(record.id) ships inside the app, and needs no file")
        }
        continue
      }
      guard let item = manifest.removeValue(forKey: record.id) else {
        // the app lost the file before it made the backup, and says so by leaving the manifest entry out
        photos.append(
          .init(
            record: record, originalPath: record.path,
            content: .absent(reason: "its file was lost before the backup was made", isDamage: false)))
        continue
      }
      let names = [item.zipEntryName, "photos/\(item.fileName)"]
      // the second name only where no other photo's manifest entry names it itself
      let found = names.first { name in
        entries[name] != nil && (name == item.zipEntryName || !named.contains(name))
      }
      guard let name = found, let entry = entries[name] else {
        photos.append(
          .init(
            record: record, originalPath: item.originalPath,
            content: .absent(
              reason: names.lazy.compactMap { losses[$0] }.first
                ?? "its file \(item.zipEntryName.escaped) is not in the archive",
              isDamage: true, md5: item.checksum.flatMap { MD5Digest(hex: $0) })))
        continue
      }
      // one entry for each photo: a small archive must not grow by being asked for again and again
      guard used.insert(name).inserted else {
        photos.append(
          .init(
            record: record, originalPath: item.originalPath,
            content: .absent(
              reason: "its file \(name.escaped) is another photo's too", isDamage: true,
              md5: item.checksum.flatMap { MD5Digest(hex: $0) })))
        continue
      }
      if let expected = item.expectedChecksum {
        let label = PhotoLabel.label(
          id: record.id, category: categories[record.categoryId] ?? "", name: record.name)
        damagedBefore.append(
          Finding(label, "it was already damaged when the backup was made (its MD5 should be \(expected))"))
      }
      photos.append(
        .init(
          record: record, originalPath: item.originalPath,
          content: .entry(entry, md5: checksum(of: item, size: entry.size))))
    }
    for item in metadata.photoManifest where manifest[item.photoId] != nil {
      warnings.append("\(item.zipEntryName.escaped): no photo has the id \(item.photoId)")
      used.insert(item.zipEntryName)
    }
    strangers = all.filter { entry in
      let name = String(entry.name.dropFirst(root.count))
      return !entry.isDirectory && !entry.isIgnored && !used.contains(name)
        && !name.hasPrefix("thumbnails/")
    }.map(\.name)
  }

  /// The MD5 that the manifest gives. On iOS the size is the database's figure, so another size alone is
  /// only worth a warning.
  private mutating func checksum(of item: Metadata.ManifestEntry, size: Int) -> MD5Digest? {
    let name = item.zipEntryName.escaped
    if item.fileSize != size {
      warnings.append("\(name): \(size) bytes long, the manifest says \(item.fileSize)")
    }
    guard let text = item.checksum else { return nil }
    let digest = MD5Digest(hex: text)
    if digest == nil { warnings.append("\(name): the manifest's checksum is no MD5") }
    return digest
  }
}
