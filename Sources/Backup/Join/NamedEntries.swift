import Zip

/// The entries of a backup by name. Each entry belongs to at most one photo: otherwise a small archive could expand
/// without limit by referring to one entry many times.
struct NamedEntries {
  /// The result of the search for an item of the manifest.
  enum Match {
    case entry(Entry)
    /// No entry has one of the item's names, or another photo already has the entry.
    case unavailable(Unavailable.Cause)
  }

  private let entries: [Entry]
  private let root: String
  /// The names of the entries in the manifest's form, relative to the root.
  private let names: [String]
  private let manifest: [Metadata.ManifestEntry]
  /// Why entries are missing, by name with the root.
  private let missing: [String: String]
  private var indices: [String: Int]
  /// True for each used entry, by index, since names of entries are many and long.
  private var isUsed: [Bool]
  private lazy var statedNames = Set(manifest.map(\.zipEntryName))
  private lazy var otherNames = Set(manifest.map(Self.otherName))

  init(_ entries: [Entry], below root: String, manifest: [Metadata.ManifestEntry], missing: [String: String])
  {
    (self.entries, self.root, self.manifest, self.missing) = (entries, root, manifest, missing)
    names = entries.map { root.isEmpty ? $0.name : String($0.name.dropFirst(root.count)) }
    indices = [String: Int](minimumCapacity: entries.count)
    isUsed = [Bool](repeating: false, count: entries.count)
    for (index, entry) in entries.enumerated() where !entry.isDirectory && !entry.isIgnored {
      indices[names[index]] = index
    }
    for name in Entry.metadataEntryNames { skip(name) }
  }

  /// Marks an entry as used that is neither a photo nor unknown.
  mutating func skip(_ name: String) {
    if let index = indices[name] { isUsed[index] = true }
  }

  /// Takes the entry of an item.
  mutating func take(_ item: Metadata.ManifestEntry) -> Match {
    guard let index = index(of: item) else {
      for name in [item.zipEntryName, Self.otherName(item)] {
        guard let reason = missing[root + name] else { continue }
        return .unavailable(.damaged("its file \(name.escaped) is lost: \(reason)"))
      }
      return .unavailable(.notInArchive(name: item.zipEntryName))
    }
    guard !isUsed[index] else { return .unavailable(.sharedEntry(name: names[index])) }
    isUsed[index] = true
    return .entry(entries[index])
  }

  private mutating func index(of item: Metadata.ManifestEntry) -> Int? {
    if let index = indices[item.zipEntryName] { return index }
    let otherName = Self.otherName(item)
    // only if no other photo's manifest entry has that name
    guard let index = indices[otherName], !statedNames.contains(otherName) else { return nil }
    return index
  }

  /// Takes the first entry that has one of these names and belongs to no item.
  mutating func takeUnlistedEntry(named wanted: [String]) -> (Entry, name: String)? {
    for name in wanted {
      guard let index = indices[name], !isUsed[index], !statedNames.contains(names[index]),
        !otherNames.contains(names[index])
      else { continue }
      isUsed[index] = true
      return (entries[index], names[index])
    }
    return nil
  }

  /// The names of the entries that the metadata does not mention, and that were not made from the photos.
  var unknown: [String] {
    // a damaged archive may have two entries with one name; the later one was used
    entries.indices.filter { index in
      !isUsed[index] && !entries[index].isDirectory && !entries[index].isIgnored
        && !entries[index].isDerived && !isUsed[indices[names[index]] ?? index]
    }.map { entries[$0].name }
  }

  /// Returns the alternative name of an item's entry in some archives.
  private static func otherName(_ item: Metadata.ManifestEntry) -> String { "photos/\(item.fileName)" }
}
