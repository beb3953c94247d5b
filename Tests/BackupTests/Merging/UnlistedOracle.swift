/// What a library holds after backups that leave out categories and keep their photos, by the rule of
/// `docs/format/phone-backups.md`, from the backups alone.
///
/// A category that a backup lists is its name, and a photo is its content in its category: of each, the library holds as
/// many as the backup that has the most. Photos whose category a backup leaves out count first as those photos; what is
/// left over comes into the category of the smallest id that any backup has for that photo.
struct UnlistedOracle<Content: Hashable> {
  /// Where a photo of a backup is: in a category by name, or in one that the backup leaves out, by id.
  enum Place: Hashable {
    case listed(String)
    case unlisted(Int64)

    /// The category's name in the library.
    var name: String {
      switch self {
      case .listed(let name): name
      case .unlisted(let id): "unlisted \(id)"
      }
    }
  }

  /// A photo of a backup.
  struct Row: Hashable {
    var place: Place
    var content: Content
  }

  /// A content in a category of the library, by the category's name.
  struct Shown: Hashable {
    var category: String
    var content: Content
  }

  /// How often each content is in each category.
  private(set) var counts: [Shown: Int] = [:]

  init(_ backups: [[Row]]) {
    let contents = Set(backups.flatMap { $0.map(\.content) })
    for content in contents {
      add(content, backups.map { $0.filter { $0.content == content }.map(\.place) })
    }
  }

  /// Adds the photos of one content, from their places in each backup.
  private mutating func add(_ content: Content, _ backups: [[Place]]) {
    var listed: [String: Int] = [:]
    // of each backup, nil for each photo in a listed category, then the ids of the others
    var photos: [[Int64?]] = []
    for places in backups {
      var ids: [Int64] = []
      var names: [String: Int] = [:]
      for place in places {
        switch place {
        case .listed(let name): names[name, default: 0] += 1
        case .unlisted(let id): ids.append(id)
        }
      }
      listed.merge(names, uniquingKeysWith: max)
      photos.append(Array(repeating: nil, count: names.values.reduce(0, +)) + ids.sorted())
    }
    for (name, count) in listed { counts[Shown(category: name, content: content)] = count }
    let known = listed.values.reduce(0, +)
    for position in known..<max(known, photos.map(\.count).max() ?? 0) {
      let ids = photos.compactMap { position < $0.count ? $0[position] : nil }
      guard let id = ids.min() else { continue }
      counts[Shown(category: Place.unlisted(id).name, content: content), default: 0] += 1
    }
  }
}
