import Checksums
import Foundation
import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

@Suite struct DiffTests {
  /// A random side with few different values, so that equal contents, names and dates are frequent.
  private static func side(_ random: inout SeededNumbers) -> DiffSide {
    let names = ["family", "cars", "caf\u{E9}"].filter { _ in Bool.random(using: &random) }
    let categories = names.enumerated().map { id, name in
      PhotoLibrary.Category(
        id: Int64(id), name: name, displayName: ["One", "Two"].randomElement(using: &random) ?? "",
        position: Int.random(in: 0...1, using: &random), createdAt: 0, valuesAsOf: 0)
    }
    let photos = (0..<Int.random(in: 0...8, using: &random)).compactMap { id -> Photo? in
      guard let category = categories.randomElement(using: &random) else { return nil }
      let bytes = Array(repeating: UInt8(7), count: Int.random(in: 0...2, using: &random))
      let fileName = ["x.jpg", "y.jpg"].randomElement(using: &random) ?? ""
      let name = ["a", "b", "c"].randomElement(using: &random) ?? ""
      let kind = Int.random(in: 0...9, using: &random)
      return Photo(
        id: Int64(id), categoryId: category.id, name: name, path: kind == 0 ? "sample.png" : "",
        originalPath: fileName, isFromAssets: kind == 0,
        createdAt: .init(rawValue: .random(in: 0...2, using: &random)), fileSize: kind == 0 ? 0 : bytes.count,
        md5: kind > 1 ? MD5Digest(of: bytes) : nil)
    }
    return DiffSide(categories: categories, photos: photos)
  }

  private static let pairs: [(seed: Int, DiffSide, DiffSide)] = (0..<2000).map { seed in
    var random = SeededNumbers(seed: UInt64(seed))
    return (seed, side(&random), side(&random))
  }

  /// The properties of a photo that a diff compares. The ID is not one of them.
  private static func text(_ photo: Photo, in category: String) -> String {
    "\(content(photo, in: category)) \(photo.name) \(photo.fileName) \(photo.createdAt)"
  }

  private static func content(_ photo: Photo, in category: String) -> String {
    let content = photo.md5?.description ?? (photo.isFromAssets ? photo.path : "unknown \(photo.name)")
    return "\(category) \(content) \(photo.fileSize)"
  }

  private static func texts(of side: DiffSide) -> [String] {
    let names = Dictionary(uniqueKeysWithValues: side.categories.map { ($0.id, $0.name) })
    return side.photos.map { text($0, in: names[$0.categoryId] ?? "") }
  }

  private static func text(_ category: PhotoLibrary.Category) -> String {
    "\(category.name) \(category.displayName) \(category.position)"
  }

  private static func multiset(_ texts: [String]) -> [String] { texts.sorted() }

  @Test("Diff: equal sides have no changes, whatever their order and IDs")
  func equalSides() {
    for (seed, side, _) in Self.pairs {
      #expect(BackupDiff(from: side, to: side).changes.isEmpty, "seed \(seed)")
      var shuffled = side
      shuffled.photos.reverse()
      for index in shuffled.photos.indices { shuffled.photos[index].id += 100 }
      shuffled.categories.reverse()
      #expect(BackupDiff(from: side, to: shuffled).changes.isEmpty, "seed \(seed)")
    }
  }

  @Test("Diff: the reverse diff swaps added and removed")
  func reverse() {
    func text(_ change: BackupDiff.Change, reversed: Bool) -> String {
      let modifier: BackupDiff.Modifier =
        switch change.modifier {
        case .added where reversed: .removed
        case .removed where reversed: .added
        default: change.modifier
        }
      switch change.subject {
      case .category(let from, let to):
        let (one, other) = reversed ? (to, from) : (from, to)
        return "\(modifier) \(one.map(Self.text) ?? "") \(other.map(Self.text) ?? "")"
      case .photo(let category, let from, let to):
        let texts = [from, to].map { $0.map { Self.text($0, in: category) } ?? "" }
        return "\(modifier) \((reversed ? texts.reversed() : texts).joined(separator: " "))"
      }
    }
    for (seed, one, other) in Self.pairs {
      let there = BackupDiff(from: one, to: other).changes.map { text($0, reversed: false) }
      let back = BackupDiff(from: other, to: one).changes.map { text($0, reversed: true) }
      #expect(Self.multiset(there) == Self.multiset(back), "seed \(seed)")
    }
  }

  @Test("Diff: the changes applied to the first side yield the second side")
  func appliedChanges() {
    for (seed, one, other) in Self.pairs {
      let diff = BackupDiff(from: one, to: other)
      var photos: [String: Int] = [:]
      for text in Self.texts(of: one) { photos[text, default: 0] += 1 }
      var categories = Dictionary(uniqueKeysWithValues: one.categories.map { ($0.name, Self.text($0)) })
      for change in diff.changes {
        switch change.subject {
        case .photo(let category, let from, let to):
          if let from { photos[Self.text(from, in: category), default: 0] -= 1 }
          if let to { photos[Self.text(to, in: category), default: 0] += 1 }
        case .category(let from, let to):
          #expect(categories[(from ?? to)?.name ?? ""] == from.map(Self.text), "seed \(seed)")
          if let name = (from ?? to)?.name { categories[name] = to.map(Self.text) }
        }
      }
      var expected: [String: Int] = [:]
      for text in Self.texts(of: other) { expected[text, default: 0] += 1 }
      // photos that were matched by name only can have different contents on the two sides
      let isKnown = !(one.photos + other.photos).contains(where: \.hasUnknownContent)
      if isKnown { #expect(photos.filter { $0.value != 0 } == expected, "seed \(seed)") }
      #expect(
        categories == Dictionary(uniqueKeysWithValues: other.categories.map { ($0.name, Self.text($0)) }))
      let (added, removed) = (diff.count(.added, photos: true), diff.count(.removed, photos: true))
      #expect(one.photos.count - removed + added == other.photos.count, "seed \(seed)")
      #expect(
        one.photos.reduce(0) { $0 + $1.fileSize } - diff.bytes(.removed) + diff.bytes(.added)
          == other.photos.reduce(0) { $0 + $1.fileSize }, "seed \(seed)")
    }
  }

  @Test("Diff: the same content in a category is never both added and removed")
  func matchedContents() {
    for (seed, one, other) in Self.pairs {
      var contents: [BackupDiff.Modifier: Set<String>] = [:]
      for change in BackupDiff(from: one, to: other).changes {
        guard case .photo(let category, let from, let to) = change.subject, let photo = to ?? from else {
          continue
        }
        contents[change.modifier, default: []].insert(Self.content(photo, in: category))
      }
      #expect(
        contents[.added, default: []].isDisjoint(with: contents[.removed, default: []]), "seed \(seed)")
    }
  }

  /// A document can declare any size for a photo.
  @Test("Diff: a sum of sizes beyond the largest integer does not overflow")
  func largestSizes() {
    let photos = (1...2).map { id in
      Photo(
        id: id, categoryId: 1, name: "\(id)", path: "", originalPath: "x.jpg", createdAt: 0, fileSize: .max,
        md5: nil)
    }
    let none = DiffSide(categories: [], photos: [])
    #expect(BackupDiff(from: none, to: DiffSide(categories: [], photos: photos)).bytes(.added) == .max)
  }

  @Test("Diff: a library and its own archive have no differences")
  func ownArchive() async throws {
    for generated in GeneratedLibrary.all {
      let (library, scratch) = (try generated.make(), ScratchFolder())
      let summary = try await library.exporting(to: scratch.path.appending("a.zip"))
      let backup = DiffSide(try OpenedBackup(path: try #require(summary.archive)))
      let diff = BackupDiff(from: backup, to: DiffSide(try library.contents))
      #expect(diff.changes.isEmpty, "\(generated.testDescription)")
    }
  }
}
