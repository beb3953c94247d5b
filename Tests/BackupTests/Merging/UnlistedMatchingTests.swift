import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

/// Plans for backups that omit categories but not their photos, compared with an oracle that uses only the
/// backups.
@Suite struct UnlistedMatchingTests {
  typealias Oracle = UnlistedOracle<Int>
  typealias Row = Oracle.Row

  /// The categories that each backup lists. The user chose the name of the last one, which is not the unlisted
  /// category 7.
  private static let listed = [("family", "Family"), ("cars", "Cars"), ("category_7", "Category 7")]
  private static let ids: [Int64] = [.min, -1, 0, 7, .max]

  private static func rows(_ random: inout SeededNumbers) -> [Row] {
    (0..<Int.random(in: 0...9, using: &random)).map { _ in
      let isListed = Int.random(in: 0..<3, using: &random) > 0
      let place: Oracle.Place =
        isListed
        ? .listed(listed.randomElement(using: &random)?.0 ?? "")
        : .unlisted(ids.randomElement(using: &random) ?? 0)
      return Row(place: place, content: Int.random(in: 0..<4, using: &random))
    }
  }

  /// A backup of these rows. Content 0 is an asset of the app.
  private static func backup(_ rows: [Row], date: Int64) throws -> OpenedBackup {
    var metadata = Metadata()
    metadata.exportDate = Timestamp(rawValue: date)
    metadata.categories = listed.enumerated().map { index, names in
      Metadata.CategoryRecord(
        id: Int64(index + 1), name: names.0, displayName: names.1, position: index, createdAt: 5)
    }
    var photos: [OpenedBackup.Photo] = []
    for (index, row) in rows.enumerated() {
      let category: Int64 =
        switch row.place {
        case .listed(let name): Int64(1 + (listed.firstIndex { $0.0 == name } ?? 0))
        case .unlisted(let id): id
        }
      let record = Metadata.PhotoRecord(
        id: Int64(index + 1), path: "sample/\(row.content).png", categoryId: category, name: "n",
        isFromAssets: row.content == 0, createdAt: 7)
      metadata.photos.append(record)
      let (md5, size) = MergeGenerator.contents[row.content]
      let content: PhotoLocation =
        row.content == 0 ? .asset : .file("/nowhere", size: size, md5: md5)
      photos.append(OpenedBackup.Photo(record: record, originalPath: record.path, location: content))
    }
    return try OpenedBackup.sample(metadata, photos: photos)
  }

  private static func counts(_ library: LibraryContents) -> [Oracle.Shown: Int] {
    let names = Dictionary(uniqueKeysWithValues: library.categories.map { ($0.id, $0.name) })
    return library.photos.reduce(into: [:]) { counts, photo in
      let content = MergeGenerator.contents.firstIndex { $0.md5 == photo.md5 } ?? 0
      counts[Oracle.Shown(category: names[photo.categoryId] ?? "?", content: content), default: 0] += 1
    }
  }

  @Test(
    "Merge: photos of unlisted categories match the oracle in every order of the backups",
    arguments: [ImportStrategy.merge, .skip])
  func orders(_ strategy: ImportStrategy) throws {
    for seed in 0..<400 as Range<UInt64> {
      var random = SeededNumbers(seed: seed)
      let rows = (0..<3).map { _ in Self.rows(&random) }
      let backups = try rows.enumerated().map { try Self.backup($1, date: Int64($0)) }
      let expected = Oracle(rows).counts
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

  @Test("Merge: a photo that moves out of an unlisted category keeps its row and its file")
  func moving() throws {
    let first = try Self.backup([Row(place: .unlisted(7), content: 1)], date: 1)
    let second = try Self.backup([Row(place: .listed("family"), content: 1)], date: 2)
    let before = LibraryContents.empty.importing(first, .merge, .skip)
    let plan = before.plan(second, .merge, .skip)
    #expect(plan.edit.newPhotos == [])
    #expect(plan.edit.changedPhotos.map(\.path) == before.photos.map(\.path))
    #expect(plan.edit.changedPhotos.map(\.id) == before.photos.map(\.id))
    #expect(plan.filesToExtract == [])
    #expect(plan.photosImported == 1)
  }

  @Test(
    "Merge: a category named “Category 7” and the unlisted category 7 stay separate",
    arguments: [[0, 1], [1, 0]])
  func sameShownName(_ order: [Int]) throws {
    let rows = [[Row(place: .listed("category_7"), content: 1)], [Row(place: .unlisted(7), content: 2)]]
    let backups = try rows.enumerated().map { try Self.backup($1, date: Int64($0)) }
    let library = order.reduce(LibraryContents.empty) { $0.importing(backups[$1], .merge, .skip) }
    let names = ["category_7", "unlisted 7"]
    #expect(library.categories.filter { $0.displayName == "Category 7" }.map(\.name).sorted() == names)
    #expect(
      Self.counts(library) == [
        Oracle.Shown(category: names[0], content: 1): 1, Oracle.Shown(category: names[1], content: 2): 1,
      ])
  }
}
