import Operations
import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

/// `undo` after an import with each strategy and each rule for duplicates.
struct UndoImportTests {
  private static let rules: [DuplicateRule] = DuplicateRule.allCases

  @Test("Undo: rows and files are the same as before the import", arguments: ImportStrategy.allCases, rules)
  func restoresLibrary(strategy: ImportStrategy, rule: DuplicateRule) async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var first = SampleBackup(photos: ["a", "b", "c", "c"])
    first.metadata.photos[3].name = "another name"
    var second = SampleBackup(photos: ["c", "b", "new"])
    second.metadata.exportDate = 1_800_000_000_000
    second.metadata.categories[0].displayName = "Renamed"
    second.metadata.settings?.securitySettings.kidSafeModeEnabled = true
    try await library.importing(first.write(to: scratch, as: "1.zip"))
    let (contents, bytes, files) = (
      try library.contents, try library.bytesOfPhotos(), try library.tree.photos
    )

    try await library.importing(second.write(to: scratch, as: "2.zip")) { options in
      options.strategy = strategy
      options.duplicates = { _ in rule }
    }
    #expect(try library.contents != contents)
    let summary = try await Work.undo(library.path, options: .given).summary
    #expect(summary.missing.isEmpty)
    #expect(try library.contents == contents)
    #expect(try library.bytesOfPhotos() == bytes)
    #expect(try library.tree.photos == files)
    expectNone(try library.faults())
  }
}

extension FolderTree {
  /// The paths below `photos`.
  fileprivate var photos: [String] { files.keys.filter { $0.hasPrefix("photos/") }.sorted() }
}
