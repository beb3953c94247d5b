import Zip

/// The entries of a backup by their names, each for one photo at most: a small archive must not grow by being asked
/// for the same entry again and again.
struct PhotoEntries {
  /// What there is for an item of the manifest.
  enum Outcome {
    case entry(Entry)
    /// Another photo has the entry of this name.
    case taken(name: String)
    /// No entry has one of these names.
    case missing([String])
  }

  private let entries: [Entry]
  /// The names that the manifest gives them.
  private let names: [String]
  private let manifest: [Metadata.ManifestEntry]
  private var places: [String: Int]
  /// By place, since names of entries are many and long.
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

  /// Marks an entry that is neither a photo nor unknown.
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

  /// Whether an item has an entry that no other photo has taken.
  mutating func has(_ item: Metadata.ManifestEntry) -> Bool { place(of: item).map { !isUsed[$0] } ?? false }

  private mutating func place(of item: Metadata.ManifestEntry) -> Int? {
    if let place = places[item.zipEntryName] { return place }
    let otherName = Self.otherName(item)
    // only where no other photo's manifest entry names it itself
    guard let place = places[otherName], !named.contains(otherName) else { return nil }
    return place
  }

  /// Takes the first entry that has one of these names and is meant by no item.
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
    // of two entries of one name, which only a damaged archive has, the later one was looked up
    entries.indices.filter { place in
      !isUsed[place] && !entries[place].isDirectory && !entries[place].isIgnored
        && !names[place].hasPrefix("thumbnails/") && !isUsed[places[names[place]] ?? place]
    }.map { entries[$0].name }
  }

  /// The name that an item's entry has in some archives instead.
  private static func otherName(_ item: Metadata.ManifestEntry) -> String { "photos/\(item.fileName)" }
}
