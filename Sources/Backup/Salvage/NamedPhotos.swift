import FileSystem
import Foundation
import PhotoLibrary
import Secrets
import Zip

/// The photos of an archive whose metadata is lost, by the names of their entries: `photos/{id}_{name}`, as both
/// apps and this project write them, at the root or in one folder.
struct NamedPhotos {
  /// A stand-in: one category, and a row for each photo.
  private(set) var metadata = Metadata()
  /// The entries of these rows.
  private(set) var entries: [Entry] = []
  /// The names of entries that could be photos and whose bytes nothing vouches for.
  let unproven: [String]
  /// The folder that holds `photos/`, with its slash; empty at the root.
  let root: String

  /// The category into which such photos come.
  static let category = Metadata.CategoryRecord(
    id: 1, name: "rescued", displayName: "Rescued", position: 0, createdAt: 0)

  /// - Throws: `BackupError.passwordNeeded` where the photos are encrypted and there is no password, `.wrongPassword`
  ///   where it fits none of them.
  init(_ salvage: Salvage, _ password: Secret?, _ whileReading: (Int) throws -> Void) throws {
    let named = salvage.archive.entries.filter { entry in
      !entry.isIgnored && Self.root(of: entry.name) != nil
    }
    try Self.requirePassword(password, for: named.filter(\.isEncrypted), of: salvage.archive)
    let candidates = named.filter { !salvage.unproven.contains($0.index) }
    let whole = Set(candidates.map(\.name))
    unproven = named.map(\.name).filter { !whole.contains($0) }
    let roots = Dictionary(grouping: candidates) { Self.root(of: $0.name) ?? "" }
    // most of them lie in one folder; the shorter name decides, so that the result is always the same
    root = roots.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key ?? ""
    metadata.categories = [Self.category]
    var ids: Set<Int64> = []
    var names: Set<String> = []
    var unnumbered: [Entry] = []
    for entry in roots[root] ?? [] where names.insert(entry.name).inserted {
      try whileReading(0)
      let fileName = FileName.lastComponent(of: entry.name)
      let digits = fileName.prefix { $0.isASCII && $0.isNumber }
      let rest = fileName.dropFirst(digits.count)
      if rest.first == "_" || rest.first == "." && entry.isEncrypted, let id = Int64(digits),
        IDs.range.contains(id), ids.insert(id).inserted
      {
        // an encrypted archive says no more of a photo than its number
        add(entry, id: id, fileName: fileName, name: rest.first == "_" ? String(rest.dropFirst()) : fileName)
      } else {
        unnumbered.append(entry)
      }
    }
    var next = (ids.max() ?? 0) + 1
    for entry in unnumbered {
      let fileName = FileName.lastComponent(of: entry.name)
      add(entry, id: next, fileName: fileName, name: fileName)
      next += 1
    }
  }

  /// Asks some of the entries, which have keys of their own, whether the password fits them.
  private static func requirePassword(
    _ password: Secret?, for encrypted: [Entry], of archive: Archive
  ) throws {
    guard !encrypted.isEmpty else { return }
    guard let password, !password.isEmpty else { throw BackupError.passwordNeeded(archive.path) }
    var reader = try EntryReader(archive, password: password)
    for entry in encrypted.prefix(16) where try reader.passwordFits(entry) { return }
    throw BackupError.wrongPassword(archive.path)
  }

  /// The folder in which `photos/` lies, nil if an entry is no photo.
  private static func root(of name: String) -> String? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    switch parts.count {
    case 2 where parts[0] == "photos" && !parts[1].isEmpty: return ""
    case 3 where parts[1] == "photos" && !parts[2].isEmpty: return "\(parts[0])/"
    default: return nil
    }
  }

  private mutating func add(_ entry: Entry, id: Int64, fileName: String, name: String) {
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    metadata.photos.append(
      Metadata.PhotoRecord(
        id: id, path: "photos/\(fileName)", categoryId: Self.category.id,
        name: stem.isEmpty ? name : String(stem), createdAt: entry.modifiedInLocalTime ?? 0,
        fileSize: Int64(entry.size)))
    metadata.photoManifest.append(
      Metadata.ManifestEntry(
        photoId: id, originalPath: name.isEmpty ? fileName : name,
        zipEntryName: String(entry.name.dropFirst(root.count)), fileName: fileName,
        fileSize: Int64(entry.size)))
    entries.append(entry)
  }
}
