import Foundation
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// What `MergeContentTests` shows of plans, shown of files: real archives into real libraries, under every strategy
/// and rule. The oracle counts bytes by category and knows nothing of rows, digests or plans.
@Suite struct ImportedContentTests {
  /// How often each content occurs in each category.
  typealias Bag = [Pile: Int]

  private static let contents: [[UInt8]] = [[], [1], [2], [2, 2]]

  struct Pile: Hashable {
    var category: String
    var bytes: [UInt8]
  }

  /// What is to come of importing `backup` into `library`, by the rulings alone.
  private static func expected(
    _ library: Bag, _ backup: Bag, _ strategy: ImportStrategy, _ rule: DuplicateRule
  ) -> Bag {
    switch (strategy, rule) {
    case (.replace, _): backup
    case (_, .rename): library.merging(backup, uniquingKeysWith: +)
    case (_, .skip), (_, .replace): library.merging(backup, uniquingKeysWith: max)
    }
  }

  /// A backup of a few photos out of few contents and names, so that many are equal; and what it holds.
  private static func backup(_ random: inout SeededNumbers) -> (SampleBackup, Bag) {
    var backup = SampleBackup()
    backup.metadata.exportDate = Int64.random(in: 1...3, using: &random)
    backup.metadata.categories.append(
      Metadata.CategoryRecord(id: 2, name: "cars", displayName: "Cars", position: 1, createdAt: 5))
    var bag: Bag = [:]
    let ids = (1...12 as ClosedRange<Int64>).shuffled(using: &random)
    for id in ids.prefix(Int.random(in: 0...6, using: &random)) {
      let bytes = Self.contents.randomElement(using: &random) ?? []
      backup.add(id: id, name: ["a", "é", "b c"].randomElement(using: &random) ?? "", bytes: bytes)
      let category = Int64.random(in: 1...2, using: &random)
      backup.metadata.photos[backup.metadata.photos.count - 1].categoryId = category
      bag[Pile(category: category == 1 ? "family" : "cars", bytes: bytes), default: 0] += 1
    }
    return (backup, bag)
  }

  /// What a library holds, by its files.
  private func bag(_ library: SampleLibrary) throws -> Bag {
    expectNone(try library.faults())
    let contents = try library.contents
    let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
    let bytes = try library.bytesOfPhotos()
    return Dictionary(
      contents.photos.map { (Pile(category: names[$0.categoryId] ?? "?", bytes: bytes[$0.id] ?? [0xFF]), 1) },
      uniquingKeysWith: +)
  }

  @Test(arguments: ImportStrategy.allCases, DuplicateRule.allCases)
  func filesAreWhatTheRulingsSay(_ strategy: ImportStrategy, _ rule: DuplicateRule) async throws {
    for seed in 0..<4 as Range<UInt64> {
      var random = SeededNumbers(seed: seed)
      let scratch = try ScratchFolder()
      var backups: [(path: FilePath, bag: Bag)] = []
      for number in 0..<3 {
        let (backup, bag) = Self.backup(&random)
        backups.append((try backup.write(to: scratch, as: "\(number).zip"), bag))
      }
      let library = try SampleLibrary()
      var held: Bag = [:]
      // each twice in a row, since a photo may only come once
      for backup in [backups[0], backups[1], backups[1], backups[2]] {
        let summary = try await library.importing(backup.path) {
          $0.strategy = strategy
          $0.duplicates = { _ in rule }
        }
        #expect(!summary.isIncomplete)
        held = Self.expected(held, backup.bag, strategy, rule)
        #expect(try bag(library) == held, "seed \(seed), \(backup.path.lastComponent?.string ?? "")")
      }
      guard strategy != .replace, rule != .rename else { continue }

      let other = try SampleLibrary()
      try await other.importing(backups[2].path, backups[1].path, backups[0].path) {
        $0.strategy = strategy
        $0.duplicates = { _ in rule }
      }
      #expect(try bag(other) == held, "seed \(seed): the order matters")
    }
  }

  /// A library is the fixed point of its own export: nothing changes when it comes back, and a new library made of it
  /// exports the same again.
  @Test(arguments: [ImportStrategy.merge, .skip, .replace], [DuplicateRule.skip, .replace])
  func anExportIsAFixedPoint(_ strategy: ImportStrategy, _ rule: DuplicateRule) async throws {
    for seed in 10..<13 as Range<UInt64> {
      var random = SeededNumbers(seed: seed)
      let scratch = try ScratchFolder()
      let library = try SampleLibrary()
      try await library.importing(Self.backup(&random).0.write(to: scratch, as: "a.zip"))
      try await library.importing(Self.backup(&random).0.write(to: scratch, as: "b.zip"))
      let first = try await library.exporting(to: scratch.path.appending("first.zip"))
      let archive = try #require(first.archive)
      let before = try (bag(library), library.contents.photos.map(\.id))
      try await library.importing(archive) {
        $0.strategy = strategy
        $0.duplicates = { _ in rule }
      }
      #expect(try bag(library) == before.0 && library.contents.photos.map(\.id) == before.1, "seed \(seed)")

      let copy = try SampleLibrary()
      try await copy.importing(archive) { $0.strategy = strategy }
      let second = try await copy.exporting(to: scratch.path.appending("second.zip"))
      let again = try #require(second.archive)
      let (one, two) = (try WrittenBackup(archive), try WrittenBackup(again))
      var (rows, rowsAgain) = (one.lasting, two.lasting)
      if strategy == .skip {
        // which takes no settings
        (rows.settings, rowsAgain.settings) = (nil, nil)
        (rows.smilepile, rowsAgain.smilepile) = (nil, nil)
      }
      #expect(rows == rowsAgain && one.photos == two.photos, "seed \(seed)")
    }
  }

  @Test(
    "Merging: a photo that any phone has marked as a favorite is one, in every order",
    arguments: [
      [nil, true], [true, nil], [false, true], [true, false], [nil, false], [false, nil],
    ] as [[Bool?]])
  func favorites(_ marks: [Bool?]) async throws {
    let scratch = try ScratchFolder()
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
    "Replacing: copies of a photo in two categories are favorites if one of them is",
    arguments: [ImportStrategy.merge, .replace])
  func favoritesOfCopies(_ strategy: ImportStrategy) async throws {
    let scratch = try ScratchFolder()
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
