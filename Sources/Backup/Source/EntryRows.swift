import PhotoLibrary
import Zip

/// Makes rows from entry names, for an archive without rows: one category, and for each entry a row and a manifest
/// entry. Both apps and this project name an entry `{id}_{name}`.
struct EntryRows {
  /// The rows; without a category if there are no rows.
  private(set) var metadata = Metadata()
  /// The entries in the order of the rows.
  private(set) var entries: [Entry] = []
  private let taken: [Int: Timestamp]

  /// - Parameters:
  ///   - folder: the folder whose entries have such names. Other entries keep their names.
  ///   - category: the display name of the category.
  ///   - taken: the dates of photos, by the index of the entry. Other photos have the dates of their entries.
  init(_ entries: [Entry], in folder: String, category: String, taken: [Int: Timestamp] = [:]) {
    self.taken = taken
    let named = entries.map { ($0, Self.idAndName(of: $0, in: folder)) }
    var ids: Set<Int64> = []
    var unnumbered: [(Entry, name: String)] = []
    for (entry, idAndName) in named {
      if let (id, name) = idAndName, IDs.range.contains(id), ids.insert(id).inserted {
        add(entry, id: id, name: name)
      } else {
        // the Android app may give two photos the same id; the second gets a new one
        unnumbered.append((entry, idAndName?.name ?? FileName.lastComponent(of: entry.name)))
      }
    }
    var next = (ids.max() ?? 0) + 1
    for (entry, name) in unnumbered {
      add(entry, id: next, name: name)
      next += 1
    }
    if !entries.isEmpty {
      metadata.categories = [
        Metadata.CategoryRecord(
          id: Self.category, name: category.lowercased(), displayName: category, position: 0, createdAt: 0)
      ]
    }
  }

  private static let category: Int64 = 1

  /// Returns the id at the beginning of a photo's name, and the rest. Returns nil for a name without an id, and
  /// outside of the folder. The names in an encrypted archive have only the id.
  static func idAndName(of entry: Entry, in folder: String) -> (Int64, name: String)? {
    guard entry.isIn(folder) else { return nil }
    let fileName = FileName.lastComponent(of: entry.name)
    let digits = fileName.prefix { $0.isASCII && $0.isNumber }
    let rest = fileName.dropFirst(digits.count)
    guard let id = Int64(digits) else { return nil }
    if rest.first == "_" { return (id, String(rest.dropFirst())) }
    return entry.isEncrypted && (rest.isEmpty || rest.first == ".") ? (id, fileName) : nil
  }

  private mutating func add(_ entry: Entry, id: Int64, name: String) {
    let fileName = FileName.lastComponent(of: entry.name)
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    entries.append(entry)
    metadata.photos.append(
      Metadata.PhotoRecord(
        id: id, path: "photos/\(fileName)", categoryId: Self.category,
        name: stem.isEmpty ? name : String(stem),
        createdAt: taken[entry.index] ?? entry.modifiedInLocalTime ?? 0,
        fileSize: Int64(entry.size)))
    metadata.photoManifest.append(
      Metadata.ManifestEntry(
        photoId: id, originalPath: name.isEmpty ? fileName : name, zipEntryName: entry.name,
        fileName: fileName, fileSize: Int64(entry.size)))
  }
}
