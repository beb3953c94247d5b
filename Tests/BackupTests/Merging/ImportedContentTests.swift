import Foundation
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Tests with archives and libraries what `MergeContentTests` tests with plans, under every strategy and rule.
/// The oracle counts equal bytes in each category, without rows, digests or plans.
@Suite struct ImportedContentTests {
  /// The number of photos with each content in each category.
  typealias PhotoCounts = [PhotoKey: Int]

  private static let contents: [[UInt8]] = [[], [1], [2], [2, 2]]

  struct PhotoKey: Hashable {
    var category: String
    var bytes: [UInt8]
  }

  /// The content that `library` must have after the import of `backup`.
  private static func expected(
    _ library: PhotoCounts, _ backup: PhotoCounts, _ strategy: ImportStrategy, _ rule: DuplicateRule
  ) -> PhotoCounts {
    switch (strategy, rule) {
    case (.replace, _): backup
    case (_, .rename): library.merging(backup, uniquingKeysWith: +)
    case (_, .skip), (_, .replace): library.merging(backup, uniquingKeysWith: max)
    }
  }

  /// A backup with up to six photos, and its content. There are few contents and names, so that many photos are
  /// equal.
  private static func backup(_ random: inout SeededNumbers) -> (SampleBackup, PhotoCounts) {
    var backup = SampleBackup()
    backup.metadata.exportDate = Timestamp(rawValue: .random(in: 1...3, using: &random))
    backup.metadata.categories.append(
      Metadata.CategoryRecord(id: 2, name: "cars", displayName: "Cars", position: 1, createdAt: 5))
    var counts: PhotoCounts = [:]
    let ids = (1...12 as ClosedRange<Int64>).shuffled(using: &random)
    for id in ids.prefix(Int.random(in: 0...6, using: &random)) {
      let bytes = Self.contents.randomElement(using: &random) ?? []
      backup.add(id: id, name: ["a", "é", "b c"].randomElement(using: &random) ?? "", bytes: bytes)
      let category = Int64.random(in: 1...2, using: &random)
      backup.metadata.photos[backup.metadata.photos.count - 1].categoryId = category
      counts[PhotoKey(category: category == 1 ? "family" : "cars", bytes: bytes), default: 0] += 1
    }
    return (backup, counts)
  }

  /// The content of a library, read from its files.
  private func counts(_ library: SampleLibrary) throws -> PhotoCounts {
    expectNone(try library.faults())
    let contents = try library.contents
    let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
    let bytes = try library.bytesOfPhotos()
    return Dictionary(
      contents.photos.map {
        (PhotoKey(category: names[$0.categoryId] ?? "?", bytes: bytes[$0.id] ?? [0xFF]), 1)
      },
      uniquingKeysWith: +)
  }

  @Test(
    "Import: the files equal those of the oracle under every strategy and rule",
    arguments: ImportStrategy.allCases, DuplicateRule.allCases)
  func filesMatchOracle(_ strategy: ImportStrategy, _ rule: DuplicateRule) async throws {
    for seed in 0..<4 as Range<UInt64> {
      var random = SeededNumbers(seed: seed)
      let scratch = ScratchFolder()
      var backups: [(path: FilePath, counts: PhotoCounts)] = []
      for number in 0..<3 {
        let (backup, counts) = Self.backup(&random)
        backups.append((try backup.write(to: scratch, as: "\(number).zip"), counts))
      }
      let library = try SampleLibrary()
      var expected: PhotoCounts = [:]
      // One backup is imported twice in a row.
      for backup in [backups[0], backups[1], backups[1], backups[2]] {
        let summary = try await library.importing(backup.path) {
          $0.strategy = strategy
          $0.duplicates = { _ in rule }
        }
        #expect(!summary.isIncomplete)
        expected = Self.expected(expected, backup.counts, strategy, rule)
        #expect(try counts(library) == expected, "seed \(seed), \(backup.path.lastComponent?.string ?? "")")
      }
      guard strategy != .replace, rule != .rename else { continue }

      let other = try SampleLibrary()
      try await other.importing(backups[2].path, backups[1].path, backups[0].path) {
        $0.strategy = strategy
        $0.duplicates = { _ in rule }
      }
      #expect(try counts(other) == expected, "seed \(seed): the content depends on the order")
    }
  }

  @Test(
    "Export: importing an export changes nothing, and its copy exports the same content",
    arguments: [ImportStrategy.merge, .skip, .replace], [DuplicateRule.skip, .replace])
  func fixedPoint(_ strategy: ImportStrategy, _ rule: DuplicateRule) async throws {
    for seed in 10..<13 as Range<UInt64> {
      var random = SeededNumbers(seed: seed)
      let scratch = ScratchFolder()
      let library = try SampleLibrary()
      try await library.importing(Self.backup(&random).0.write(to: scratch, as: "a.zip"))
      try await library.importing(Self.backup(&random).0.write(to: scratch, as: "b.zip"))
      let first = try await library.exporting(to: scratch.path.appending("first.zip"))
      let archive = try #require(first.archive)
      let before = try (counts(library), library.contents.photos.map(\.id))
      try await library.importing(archive) {
        $0.strategy = strategy
        $0.duplicates = { _ in rule }
      }
      #expect(try counts(library) == before.0, "seed \(seed)")
      #expect(try library.contents.photos.map(\.id) == before.1, "seed \(seed)")

      let copy = try SampleLibrary()
      try await copy.importing(archive) { $0.strategy = strategy }
      let second = try await copy.exporting(to: scratch.path.appending("second.zip"))
      let again = try #require(second.archive)
      let (one, two) = (try WrittenBackup(archive), try WrittenBackup(again))
      var (rows, rowsAgain) = (one.lasting, two.lasting)
      if strategy == .skip {
        // The strategy `skip` imports no settings.
        (rows.settings, rowsAgain.settings) = (nil, nil)
        (rows.smilepile, rowsAgain.smilepile) = (nil, nil)
      }
      #expect(rows == rowsAgain, "seed \(seed)")
      #expect(one.photos == two.photos, "seed \(seed)")
    }
  }

  @Test(
    "Merge: a photo is a favorite if any backup marks it as one, in every order",
    arguments: [
      [nil, true], [true, nil], [false, true], [true, false], [nil, false], [false, nil],
    ] as [[Bool?]])
  func favorites(_ marks: [Bool?]) async throws {
    let scratch = ScratchFolder()
    let library = try SampleLibrary()
    for (index, mark) in marks.enumerated() {
      var backup = SampleBackup(photos: ["a"])
      backup.metadata.photos[0].isFavorite = mark
      try await library.importing(try backup.write(to: scratch, as: "\(index).zip"))
    }
    let expected = marks.contains(true) ? true : marks.compactMap { $0 }.first
    #expect(try library.contents.photos.map(\.isFavorite) == [expected])
    let again = try await library.importing(scratch.path.appending("1.zip"))
    #expect(again.photosImported == 0)
  }

  @Test(
    "Import: all copies of a photo are favorites if one of them is",
    arguments: [ImportStrategy.merge, .replace])
  func favoritesOfCopies(_ strategy: ImportStrategy) async throws {
    let scratch = ScratchFolder()
    let library = try SampleLibrary()
    var backup = SampleBackup(photos: ["a", "a"])
    backup.metadata.photos[1].isFavorite = true
    let path = try backup.write(to: scratch)
    try await library.importing(path) { $0.strategy = strategy }
    #expect(try library.contents.photos.map(\.isFavorite) == [true, true])
    let again = try await library.importing(path) { $0.strategy = strategy }
    #expect(again.photosImported == 0)
  }
}
