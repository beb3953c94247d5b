import Foundation
import SystemPackage
import TestSupport

@testable import Backup

/// The results of one backup. It is imported into an empty library, imported again, and exported. Then the export is
/// imported into another library and opened by each reader.
struct ShapeRun: Sendable {
  /// The readers that open archives.
  static let readers = PhoneReader.allCases.filter { $0 != .android21 }

  let backup: PhoneBackup
  /// The exit code of the import command.
  private(set) var exitCode: Int32 = 0
  /// The error of a backup that is refused.
  private(set) var refusal: String?
  /// The number of photos in the library, and the number of photos of the backup that have files or ship with the app.
  private(set) var imported = (found: 0, expected: 0)
  /// Whether the photos have the same names as on the phone.
  private(set) var keepsNames = false
  /// Whether the photos have the same dates as on the phone.
  private(set) var keepsDates = false
  /// Whether the second import changes nothing.
  private(set) var isStable = false
  /// Whether the import of the export gives an equal library.
  private(set) var returns = false
  private(set) var absent = 0
  private(set) var categories = 0
  private(set) var standIns = 0
  /// The readers that show every photo of the export in its category.
  private(set) var opening: [PhoneReader] = []
  /// All differences from the phone and from the expected results.
  private(set) var problems: [String] = []

  init(_ backup: PhoneBackup) async throws {
    self.backup = backup
    let scratch = ScratchFolder()
    let (file, library) = (try scratch.write(backup.bytes, to: backup.fileName), try SampleLibrary())
    let before = try library.tree
    let summary: ImportSummary
    do {
      summary = try await library.importing(file)
    } catch {
      (exitCode, refusal) = (1, "\(error)")
      expect(try library.tree == before, "a refused backup changed the library")
      return
    }
    exitCode = summary.isIncomplete ? 3 : 0
    let expected = PhoneContent(expectedOf: backup.taken)
    let content = try PhoneContent(library)
    try compare(content, expected, summary)
    problems += try library.faults()

    try library.settle()
    let tree = try library.tree
    let again = try await library.importing(file)
    expect(again.photosImported + again.categoriesImported == 0, "the second import brings something")
    expect(again.isIncomplete == summary.isIncomplete, "the second import has another exit code")
    let changes = try library.tree.differences(from: tree)
    isStable = changes == [] && again.photosImported + again.categoriesImported == 0
    expect(changes == [], "the second import changes \(changes)")
    try await export(library, content, scratch)
  }

  private mutating func compare(
    _ content: PhoneContent, _ expected: PhoneContent, _ summary: ImportSummary
  ) throws {
    imported = (content.count, expected.count)
    keepsNames = content.count(by: \.name) == expected.count(by: \.name)
    keepsDates = content.count(by: \.createdAt) == expected.count(by: \.createdAt)
    (absent, categories, standIns) = (summary.photosNotImported, content.piles.count, content.standIns.count)
    for (shown, count) in expected.photos where content.photos[shown, default: 0] < count {
      problems.append("missing: \(Self.text(shown))")
    }
    for (shown, count) in content.photos where expected.photos[shown, default: 0] < count {
      problems.append("not on the phone: \(Self.text(shown))")
    }
    expect(content.piles == expected.piles, "categories \(content.piles), not \(expected.piles)")
    expect(content.standIns == expected.standIns, "made \(content.standIns), not \(expected.standIns)")
    expect(summary.photosImported == expected.count, "\(summary.photosImported) photos reported")

    let lost = backup.taken.lost
    expect(summary.photosNotImported == lost.count, "\(summary.photosNotImported) absent, not \(lost.count)")
    let messages = summary.warnings + summary.errors.map(\.message)
    for photo in lost where !messages.contains(where: { $0.contains(photo.name) }) {
      problems.append("\(photo.name) is not named")
    }
    // one message for each photo without a file, for each unknown category ID, for shared IDs, for dates in seconds
    let taken = backup.taken
    let collisions = [taken.categories.map(\.id), taken.photos.map(\.id)].count { Set($0).count < $0.count }
    let edited = taken.photos.contains(where: \.isEdited) ? 1 : 0
    let known = lost.count + expected.standIns.count + collisions + edited
    expect(messages.count == known, "\(messages.count) messages, not \(known): \(messages)")
  }

  private mutating func export(
    _ library: SampleLibrary, _ content: PhoneContent, _ scratch: ScratchFolder
  ) async throws {
    let first = try await library.exporting(to: scratch.path.appending("first.zip"))
    guard let path = first.archive else { return problems.append("no export") }
    let exported = try ExportedBackup(path)
    let (settings, favorites) = (backup.expectedSettings, backup.expectedFavorites)
    expect(exported.settings == settings, "settings \(exported.settings), not \(settings)")
    expect(exported.favorites == favorites, "favorites \(exported.favorites), not \(favorites)")

    let copy = try SampleLibrary()
    let summary = try await copy.importing(path)
    expect(!summary.isIncomplete, "the export is incomplete: \(summary.warnings)")
    returns = try PhoneContent(copy) == content
    expect(returns, "the export brings something else")
    let second = try await copy.exporting(to: scratch.path.appending("second.zip"))
    guard let path = second.archive else { return problems.append("no second export") }
    let again = try ExportedBackup(path)
    expect(again.settings == exported.settings, "the export brings other settings: \(again.settings)")
    expect(again.favorites == exported.favorites, "the export brings other favorites: \(again.favorites)")

    for reader in Self.readers {
      do {
        let restored = try reader.restore(exported.bytes)
        let shown = Self.counted(restored.photos.map { [Array(($0.category ?? "?").utf8), $0.bytes] })
        let held = content.photos.flatMap { photo, count in
          photo.bytes.map { Array(repeating: [photo.category, $0], count: count) } ?? []
        }
        if shown == Self.counted(held) {
          opening.append(reader)
        } else {
          problems.append("\(reader.rawValue) shows other photos, or in other categories")
        }
      } catch {
        problems.append("\(reader.rawValue): \(error)")
      }
    }
  }

  private static func counted(_ values: [[[UInt8]]]) -> [[[UInt8]]: Int] {
    Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
  }

  private static func text(_ shown: PhoneContent.Shown) -> String {
    "“\(String(decoding: shown.name, as: UTF8.self))” in “\(String(decoding: shown.category, as: UTF8.self))” "
      + "of \(shown.createdAt), \(shown.bytes.map { "\($0.count) bytes" } ?? "a row")"
  }

  private mutating func expect(_ condition: Bool, _ problem: String) {
    if !condition { problems.append(problem) }
  }
}

/// Keeps the runs, so that several tests share them.
actor ShapeRuns {
  static let shared = ShapeRuns()
  private var runs: [String: Task<ShapeRun, any Error>] = [:]

  /// Returns the run of a backup. The first call makes it.
  func run(_ backup: PhoneBackup) async throws -> ShapeRun {
    let task = runs[backup.label] ?? Task { try await ShapeRun(backup) }
    runs[backup.label] = task
    return try await task.value
  }
}
