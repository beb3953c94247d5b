import Zip

/// The entries of a backup by name. Each entry belongs to at most one photo: otherwise a small archive could expand
/// without limit by referring to one entry many times.
struct PhotoEntries {
  /// The result of the search for an item of the manifest.
  enum Outcome {
    case entry(Entry)
    /// Another photo already has the entry with this name.
    case taken(name: String)
    /// No entry has one of these names.
    case missing([String])
  }

  private let entries: [Entry]
  /// The names of the entries in the manifest's form, relative to the root.
  private let names: [String]
  private let manifest: [Metadata.ManifestEntry]
  private var indices: [String: Int]
  /// True for each used entry, by index, since names of entries are many and long.
  private var isUsed: [Bool]
  private lazy var named = Set(manifest.map(\.zipEntryName))
  private lazy var fileNames = Set(manifest.map(Self.otherName))

  init(_ entries: [Entry], below root: String, manifest: [Metadata.ManifestEntry]) {
    self.entries = entries
    self.manifest = manifest
    names = entries.map { root.isEmpty ? $0.name : String($0.name.dropFirst(root.count)) }
    indices = [String: Int](minimumCapacity: entries.count)
    isUsed = [Bool](repeating: false, count: entries.count)
    for (index, entry) in entries.enumerated() where !entry.isDirectory && !entry.isIgnored {
      indices[names[index]] = index
    }
    for name in Entry.metadataEntryNames { leaveOut(name) }
  }

  /// Marks an entry as used that is neither a photo nor unknown.
  mutating func leaveOut(_ name: String) {
    if let index = indices[name] { isUsed[index] = true }
  }

  /// Takes the entry of an item.
  mutating func take(_ item: Metadata.ManifestEntry) -> Outcome {
    guard let index = index(of: item) else {
      return .missing([item.zipEntryName, Self.otherName(item)])
    }
    guard !isUsed[index] else { return .taken(name: names[index]) }
    isUsed[index] = true
    return .entry(entries[index])
  }

  /// Returns true if an item has an entry that no other photo has taken.
  mutating func has(_ item: Metadata.ManifestEntry) -> Bool { index(of: item).map { !isUsed[$0] } ?? false }

  private mutating func index(of item: Metadata.ManifestEntry) -> Int? {
    if let index = indices[item.zipEntryName] { return index }
    let otherName = Self.otherName(item)
    // only if no other photo's manifest entry has that name
    guard let index = indices[otherName], !named.contains(otherName) else { return nil }
    return index
  }

  /// Takes the first entry that has one of these names and belongs to no item.
  mutating func takeUnlistedEntry(named wanted: [String]) -> (Entry, name: String)? {
    for name in wanted {
      guard let index = indices[name], !isUsed[index], !named.contains(names[index]),
        !fileNames.contains(names[index])
      else { continue }
      isUsed[index] = true
      return (entries[index], names[index])
    }
    return nil
  }

  /// The names of the entries that the metadata does not mention, and that were not made from the photos.
  var unknownEntries: [String] {
    // a damaged archive may have two entries with one name; the later one was used
    entries.indices.filter { index in
      !isUsed[index] && !entries[index].isDirectory && !entries[index].isIgnored
        && !entries[index].isDerived && !isUsed[indices[names[index]] ?? index]
    }.map { entries[$0].name }
  }

  /// Returns the alternative name of an item's entry in some archives.
  private static func otherName(_ item: Metadata.ManifestEntry) -> String { "photos/\(item.fileName)" }
}
