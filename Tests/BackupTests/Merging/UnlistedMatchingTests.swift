import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

/// Plans for backups that leave out categories and keep their photos, against an oracle that knows backups alone.
@Suite struct UnlistedMatchingTests {
  /// Where a photo of a backup lies: in a category by name, or in one that the backup leaves out, by id.
  enum Place: Hashable {
    case listed(String)
    case unlisted(Int64)

    /// The category's name in the library.
    var name: String {
      switch self {
      case .listed(let name): name
      case .unlisted(let id): "category_\(id)"
      }
    }
  }

  struct Row: Hashable {
    var place: Place
    var content: Int
  }

  private static let ids: [Int64] = [.min, -1, 0, 7, .max]

  private static func rows(_ random: inout SeededNumbers) -> [Row] {
    (0..<Int.random(in: 0...9, using: &random)).map { _ in
      let isListed = Int.random(in: 0..<3, using: &random) > 0
      let place: Place =
        isListed
        ? .listed(["family", "cars"].randomElement(using: &random) ?? "")
        : .unlisted(ids.randomElement(using: &random) ?? 0)
      return Row(place: place, content: Int.random(in: 0..<4, using: &random))
    }
  }

  /// A backup of these rows. Content 0 is an asset of the app.
  private static func backup(_ rows: [Row], date: Int64) throws -> BackupSource {
    var metadata = Metadata()
    metadata.exportDate = date
    metadata.categories = ["family", "cars"].enumerated().map { index, name in
      Metadata.CategoryRecord(
        id: Int64(index + 1), name: name, displayName: name.capitalized, position: index, createdAt: 5)
    }
    var photos: [BackupSource.Photo] = []
    for (index, row) in rows.enumerated() {
      let category: Int64 =
        switch row.place {
        case .listed(let name): name == "family" ? 1 : 2
        case .unlisted(let id): id
        }
      let record = Metadata.PhotoRecord(
        id: Int64(index + 1), path: "sample/\(row.content).png", categoryId: category, name: "n",
        isFromAssets: row.content == 0, createdAt: 7)
      metadata.photos.append(record)
      let (md5, size) = MergeGenerator.contents[row.content]
      let content: BackupSource.Content =
        row.content == 0 ? .asset : .file("/nowhere", size: size, md5: md5)
      photos.append(BackupSource.Photo(record: record, originalPath: record.path, content: content))
    }
    return try BackupSource.sample(metadata, photos: photos)
  }

  /// What a library holds after these backups, by the rule of `docs/phone-backups.md`.
  private static func expected(_ backups: [[Row]]) -> [String: Int] {
    var counts: [String: Int] = [:]
    for content in 0..<4 {
      var listed: [String: Int] = [:]
      // of each backup, nil for each row in a listed category, then the ids of the others
      var rows: [[Int64?]] = []
      for backup in backups {
        var ids: [Int64] = []
        var names: [String: Int] = [:]
        for row in backup where row.content == content {
          switch row.place {
          case .listed(let name): names[name, default: 0] += 1
          case .unlisted(let id): ids.append(id)
          }
        }
        for (name, count) in names { listed[name] = max(listed[name] ?? 0, count) }
        rows.append(Array(repeating: nil, count: names.values.reduce(0, +)) + ids.sorted())
      }
      for (name, count) in listed { counts["\(content) in \(name)"] = count }
      let known = listed.values.reduce(0, +)
      for position in known..<max(known, rows.map(\.count).max() ?? 0) {
        let id = rows.compactMap { position < $0.count ? $0[position] : nil }.min() ?? 0
        counts["\(content) in \(Place.unlisted(id).name)", default: 0] += 1
      }
    }
    return counts
  }

  private static func counts(_ library: LibraryContents) -> [String: Int] {
    let names = Dictionary(uniqueKeysWithValues: library.categories.map { ($0.id, $0.name) })
    return library.photos.reduce(into: [:]) { counts, photo in
      let content = MergeGenerator.contents.firstIndex { $0.md5 == photo.md5 } ?? 0
      counts["\(content) in \(names[photo.categoryId] ?? "?")", default: 0] += 1
    }
  }

  @Test(
    "Merging: categories that backups leave out change neither the result nor its independence of the order",
    arguments: [ImportStrategy.merge, .skip])
  func orders(_ strategy: ImportStrategy) throws {
    for seed in 0..<400 as Range<UInt64> {
      var random = SeededNumbers(seed: seed)
      let rows = (0..<3).map { _ in Self.rows(&random) }
      let backups = try rows.enumerated().map { try Self.backup($1, date: Int64($0)) }
      let expected = Self.expected(rows)
      for order in [[0, 1, 2]] + MergeCase.otherOrders {
        var library = LibraryContents.empty
        for index in order {
          library = library.importing(backups[index], strategy, .skip)
          let again = library.plan(backups[index], strategy, .skip)
          try #require(again.edit.isEmpty, "seed \(seed), order \(order)")
        }
        try #require(Self.counts(library) == expected, "seed \(seed), order \(order)")
      }
    }
  }

  @Test("Merging: a photo that moves out of an unlisted category keeps its row and its file")
  func moving() throws {
    let first = try Self.backup([Row(place: .unlisted(7), content: 1)], date: 1)
    let second = try Self.backup([Row(place: .listed("family"), content: 1)], date: 2)
    let before = LibraryContents.empty.importing(first, .merge, .skip)
    let plan = before.plan(second, .merge, .skip)
    #expect(plan.edit.newPhotos == [])
    #expect(plan.edit.changedPhotos.map(\.path) == before.photos.map(\.path))
    #expect(plan.edit.changedPhotos.map(\.id) == before.photos.map(\.id))
    #expect(plan.restores == [])
    #expect(plan.photosImported == 1)
  }
}
