import Foundation
import TestSupport
import Testing

@testable import Backup

/// A backup of every shape, from the phone into a library and out again.
@Suite struct ShapeTests {
  @Test("Shapes: the library has what the phone had, and the export too", arguments: PhoneBackups.all)
  func contents(_ backup: PhoneBackup) async throws {
    expectNone(try await ShapeRuns.shared.run(backup).problems)
  }

  @Test("Shapes: an import is refused, incomplete or complete", arguments: PhoneBackups.all)
  func exitCode(_ backup: PhoneBackup) async throws {
    let expected: Int32 = backup.app == nil ? 1 : backup.taken.lost.isEmpty ? 0 : 3
    let run = try await ShapeRuns.shared.run(backup)
    #expect(run.exitCode == expected, "\(run.refusal ?? "")")
  }

  /// `docs/format/phone-backups.md` shows what these tests find. `SMILEPILE_WRITE_DOCS=1 swift test --filter ShapeTests` writes
  /// the table.
  @Test("Shapes: the table of the document is what the tests find")
  func table() async throws {
    var runs: [ShapeRun] = []
    for backup in PhoneBackups.all { runs.append(try await ShapeRuns.shared.run(backup)) }
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../docs/format/phone-backups.md").standardized
    let document = try String(contentsOf: file, encoding: .utf8)
    let expected = try #require(ShapeTable(runs).inserted(into: document))
    if ProcessInfo.processInfo.environment["SMILEPILE_WRITE_DOCS"] != nil {
      try Data(expected.utf8).write(to: file)
    } else {
      #expect(document == expected)
    }
  }
}
