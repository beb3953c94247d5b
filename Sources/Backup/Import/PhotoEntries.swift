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
  private var places: [String: Int]
  /// True for each used entry, by index, since names of entries are many and long.
  private var isUsed: [Bool]
  private lazy var named = Set(manifest.map(\.zipEntryName))
  private lazy var fileNames = Set(manifest.map(Self.otherName))

  init(_ entries: [Entry], below root: String, manifest: [Metadata.ManifestEntry]) {
    self.entries = entries
    self.manifest = manifest
    names = entries.map { root.isEmpty ? $0.name : String($0.name.dropFirst(root.count)) }
    places = [String: Int](minimumCapacity: entries.count)
    isUsed = [Bool](repeating: false, count: entries.count)
    for (place, entry) in entries.enumerated() where !entry.isDirectory && !entry.isIgnored {
      places[names[place]] = place
    }
    for name in Entry.textsOfBackup { leaveOut(name) }
  }

  /// Marks an entry as used that is neither a photo nor unknown.
  mutating func leaveOut(_ name: String) {
    if let place = places[name] { isUsed[place] = true }
  }

  /// Takes the entry of an item.
  mutating func take(_ item: Metadata.ManifestEntry) -> Outcome {
    guard let place = place(of: item) else {
      return .missing([item.zipEntryName, Self.otherName(item)])
    }
    guard !isUsed[place] else { return .taken(name: names[place]) }
    isUsed[place] = true
    return .entry(entries[place])
  }

  /// Returns true if an item has an entry that no other photo has taken.
  mutating func has(_ item: Metadata.ManifestEntry) -> Bool { place(of: item).map { !isUsed[$0] } ?? false }

  private mutating func place(of item: Metadata.ManifestEntry) -> Int? {
    if let place = places[item.zipEntryName] { return place }
    let otherName = Self.otherName(item)
    // only if no other photo's manifest entry has that name
    guard let place = places[otherName], !named.contains(otherName) else { return nil }
    return place
  }

  /// Takes the first entry that has one of these names and belongs to no item.
  mutating func takeUnlisted(_ wanted: [String]) -> (Entry, name: String)? {
    for name in wanted {
      guard let place = places[name], !isUsed[place], !named.contains(names[place]),
        !fileNames.contains(names[place])
      else { continue }
      isUsed[place] = true
      return (entries[place], names[place])
    }
    return nil
  }

  /// The names of the entries that the metadata does not mention.
  var unknownEntries: [String] {
    // a damaged archive may have two entries with one name; the later one was used
    entries.indices.filter { place in
      !isUsed[place] && !entries[place].isDirectory && !entries[place].isIgnored
        && !names[place].hasPrefix("thumbnails/") && !isUsed[places[names[place]] ?? place]
    }.map { entries[$0].name }
  }

  /// Returns the alternative name of an item's entry in some archives.
  private static func otherName(_ item: Metadata.ManifestEntry) -> String { "photos/\(item.fileName)" }
}
