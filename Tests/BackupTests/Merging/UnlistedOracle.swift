/// The content of a library after the import of backups that omit categories but not their photos. The oracle
/// follows the rule of `docs/format/phone-backups.md` and uses only the backups.
///
/// A listed category is identified by its name, and a photo by its content and its category. The library has as
/// many photos of each identity as the backup that has the most. Photos in unlisted categories count first as
/// photos with equal content in listed categories. Each remaining photo is added to the unlisted category with
/// the smallest ID that any backup has for it.
struct UnlistedOracle<Content: Hashable> {
  /// The category of a photo in a backup: a listed one by name, or an unlisted one by ID.
  enum Place: Hashable {
    case listed(String)
    case unlisted(Int64)

    /// The name of the category in the library.
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

  /// A content in a category of the library. The category is identified by its name.
  struct Shown: Hashable {
    var category: String
    var content: Content
  }

  /// The number of photos with each content in each category.
  private(set) var counts: [Shown: Int] = [:]

  init(_ backups: [[Row]]) {
    let contents = Set(backups.flatMap { $0.map(\.content) })
    for content in contents {
      add(content, backups.map { $0.filter { $0.content == content }.map(\.place) })
    }
  }

  /// Adds the photos with one content, from their categories in each backup.
  private mutating func add(_ content: Content, _ backups: [[Place]]) {
    var listed: [String: Int] = [:]
    // For each backup: nil for each photo in a listed category, then the IDs of the unlisted categories.
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
