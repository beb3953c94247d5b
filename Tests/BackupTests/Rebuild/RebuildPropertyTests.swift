import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Random libraries lose their databases in random ways, and are rebuilt.
@Suite struct RebuildPropertyTests {
  /// The number of cases. `SMILEPILE_REBUILD_CASES` chooses another one.
  private static let count =
    ProcessInfo.processInfo.environment["SMILEPILE_REBUILD_CASES"].flatMap { Int($0) } ?? 24

  private static let limit = ConcurrencyLimit(16)

  /// A way to lose every row.
  private enum Loss: CaseIterable { case deleted, empty, firstPage, text }

  /// A way to lose some rows.
  private enum Damage: CaseIterable { case truncated, zeroedHeader, zeroedPages, flippedBytes }

  @Test(
    "Rebuild: a library without a readable database is as at its last archive, with all files",
    arguments: 0..<count)
  func lostDatabase(seed: Int) async throws { try await Self.limit.run { try await checkLoss(seed) } }

  @Test(
    "Rebuild: of a damaged database, every row and every file has its photo in the end", arguments: 0..<count)
  func damagedDatabase(seed: Int) async throws { try await Self.limit.run { try await checkDamage(seed) } }

  private func checkLoss(_ seed: Int) async throws {
    var numbers = SeededNumbers(seed: UInt64(seed) &+ 7_000)
    let (history, archive) = try await Self.history(seed, &numbers)
    var model = try RebuildModel(history.library)
    if Bool.random(using: &numbers) { try await history.changeAtRandom() }
    let files = try Self.files(of: history.library)
    model.addFiles(files)
    let loss = Loss.allCases.randomElement(using: &numbers) ?? .deleted
    try Self.lose(history.library, loss)
    let summary: RebuildSummary
    do {
      summary = try await Self.rebuild(history)
    } catch RebuildError.otherLibrary {
      #expect(model.isStrange(to: files))
      expectNone(try await Self.differencesWithoutArchive(history, files))
      return try expectUsable(history.library)
    }
    #expect(!model.isStrange(to: files))
    #expect(summary.archive == archive)
    expectNone(try model.differences(history.library).map { "\(loss): \($0)" })
    expectNone(try history.library.faults())
    try expectUsable(history.library)
    // every file is still in the library
    let kept = Set(try FolderTree(history.library.path).files.values)
    expectNone(files.filter { !kept.contains($0) }.map { "a file of \($0.count) bytes is lost" })
  }

  private func checkDamage(_ seed: Int) async throws {
    var numbers = SeededNumbers(seed: UInt64(seed) &+ 9_000)
    let (history, _) = try await Self.history(seed, &numbers, photos: 150)
    let before = try RebuildModel(history.library)
    try await history.changeAtRandom()
    let after = try RebuildModel(history.library)
    let files = try Self.files(of: history.library)
    let damage = Damage.allCases.randomElement(using: &numbers) ?? .truncated
    try Self.damage(history.library, damage, &numbers)
    do {
      _ = try await Self.rebuild(history)
    } catch RebuildError.isIntact {
      // the changed bytes are on a free page, or a flipped byte is in the name of a row
      if damage != .flippedBytes { expectNone(try after.differences(history.library)) }
      return
    }
    expectNone(try history.library.faults())
    let rebuilt = try RebuildModel(history.library)
    try expectUsable(history.library)
    let contents = Dictionary(rebuilt.rows.compactMap(\.bytes).map { ($0, 1) }, uniquingKeysWith: +)
    let expected = Dictionary(files.map { ($0, 1) }, uniquingKeysWith: +)
    for (bytes, number) in expected where contents[bytes, default: 0] < number {
      Issue.record("\(damage): a file of \(bytes.count) bytes has no photo")
    }
    // a flipped byte may be in the name of a row
    guard damage != .flippedBytes else { return }
    for row in rebuilt.rows where row.category != "found again" {
      #expect(before.rows.contains(row) || after.rows.contains(row), "\(damage): \(row.id) \(row.name)")
    }
  }

  // MARK: Scenes

  /// Returns a library with one or more archives, and the newest of them.
  private static func history(
    _ seed: Int, _ numbers: inout SeededNumbers, photos: Int = 3
  ) async throws -> (LibraryHistory, archive: FilePath) {
    let history = try LibraryHistory(seed: UInt64(seed))
    try history.add(photos)
    for _ in 0..<Int.random(in: 1...3, using: &numbers) {
      try await history.changeAtRandom()
      try await move(in: history.library, &numbers)
      try await history.export()
    }
    guard let archive = history.archives.last else { throw CancellationError() }
    return (history, archive)
  }

  /// Moves or renames a photo as a person does.
  private static func move(in library: SampleLibrary, _ numbers: inout SeededNumbers) async throws {
    guard let photo = try library.contents.photos.randomElement(using: &numbers) else { return }
    let selection = LibrarySelection(ids: [photo.id])
    let request: OrganizeRequest =
      Bool.random(using: &numbers)
      ? .move(selection, to: "family") : .rename(photo.id, to: "named \(photo.id)")
    _ = try await Work.organize(request, in: library.path, options: .given).summary
  }

  private static func rebuild(
    _ history: LibraryHistory, acceptsNoArchive: Bool = false
  ) async throws -> RebuildSummary {
    var options = RebuildOptions()
    options.acceptsNoArchive = acceptsNoArchive
    options.archives = [history.folder.path]
    options.authorization = .given
    return try await Work.rebuild(history.library.path, options: options).summary
  }

  /// Rebuilds the library without its archives, and returns what is wrong.
  private static func differencesWithoutArchive(
    _ history: LibraryHistory, _ files: [[UInt8]]
  ) async throws -> [String] {
    _ = try await rebuild(history, acceptsNoArchive: true)
    var model = RebuildModel()
    model.addFiles(files)
    return try model.differences(history.library) + history.library.faults()
  }

  /// Returns the bytes of all files below `photos`.
  private static func files(of library: SampleLibrary) throws -> [[UInt8]] {
    try FolderTree(library.path.appending("photos")).files.filter { !$0.key.hasSuffix("/") }.map(\.value)
  }

  private static func lose(_ library: SampleLibrary, _ loss: Loss) throws {
    let database = library.path.appending("library.sqlite")
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database.string)))
    switch loss {
    case .deleted: return try FileManager.default.removeItem(atPath: database.string)
    case .empty: bytes = []
    case .firstPage: bytes.replaceSubrange(0..<4096, with: Array(repeating: 0, count: 4096))
    case .text: bytes = Array("not a database".utf8)
    }
    try Data(bytes).write(to: URL(fileURLWithPath: database.string))
  }

  private static func damage(
    _ library: SampleLibrary, _ damage: Damage, _ numbers: inout SeededNumbers
  ) throws {
    let database = library.path.appending("library.sqlite")
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database.string)))
    let page = 4096
    switch damage {
    case .truncated: bytes.removeLast(Int.random(in: 1..<bytes.count - page, using: &numbers))
    case .zeroedHeader: bytes.replaceSubrange(0..<100, with: Array(repeating: 0, count: 100))
    case .zeroedPages:
      for start in stride(from: Int.random(in: 1...7, using: &numbers) * page, to: bytes.count, by: 7 * page)
      {
        bytes.replaceSubrange(start..<start + page, with: Array(repeating: 0, count: page))
      }
    case .flippedBytes:
      for _ in 0..<20 { bytes[Int.random(in: 0..<bytes.count, using: &numbers)] ^= 0x55 }
    }
    try Data(bytes).write(to: URL(fileURLWithPath: database.string))
  }

  /// Expects that the library can be changed, and exported without a missing photo.
  private func expectUsable(_ library: SampleLibrary) throws {
    try library.change(adding: [
      .init(
        id: 900_000, category: library.contents.categories[0].id, fileName: "after.jpg", bytes: [1, 2, 3])
    ])
    #expect(try library.faults() == [])
  }
}
