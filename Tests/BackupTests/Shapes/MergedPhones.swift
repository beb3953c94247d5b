import TestSupport

/// What a library has to hold after the backups of several phones, by the values of the phones alone.
///
/// A category that a backup lists is its name, and a photo is its content in its category: of each, the library holds as
/// many as the backup that has the most. Rows whose category a backup left out count first as those rows; what is left
/// over comes into "Category k", where k is the smallest id that any backup has for that row.
struct MergedPhones {
  struct Place: Hashable {
    var category: String
    var bytes: [UInt8]
  }

  private(set) var counts: [Place: Int] = [:]

  init(_ backups: [Phone]) {
    let contents = Set(backups.flatMap { $0.photos.compactMap(\.bytes) })
    for bytes in contents { add(bytes, backups) }
  }

  private mutating func add(_ bytes: [UInt8], _ backups: [Phone]) {
    var listed: [String: Int] = [:]
    // for each backup: nil for each row in a listed category, then the other ids in ascending order
    var rows: [[Int64?]] = []
    for backup in backups {
      let names = Dictionary(
        backup.categories.map { ($0.id, $0.displayName) }, uniquingKeysWith: { first, _ in first })
      let ids = backup.photos.filter { $0.bytes == bytes }.map(\.categoryId)
      let inListed = ids.compactMap { names[$0] }
      for (name, count) in Dictionary(inListed.map { ($0, 1) }, uniquingKeysWith: +) {
        listed[name] = max(listed[name] ?? 0, count)
      }
      rows.append(inListed.map { _ in nil } + ids.filter { names[$0] == nil }.sorted())
    }
    for (name, count) in listed { counts[Place(category: name, bytes: bytes)] = count }
    let known = listed.values.reduce(0, +)
    let longest = rows.map(\.count).max() ?? 0
    guard known < longest else { return }
    for position in known..<longest {
      let ids = rows.compactMap { position < $0.count ? $0[position] : nil }
      if let id = ids.min() { counts[Place(category: "Category \(id)", bytes: bytes), default: 0] += 1 }
    }
  }
}
