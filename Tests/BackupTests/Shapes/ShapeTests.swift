import Foundation
import TestSupport
import Testing

@testable import Backup

/// Imports and exports a backup of every shape.
@Suite struct ShapeTests {
  @Test("Shapes: library and export have the content of the phone", arguments: PhoneBackups.all)
  func contents(_ backup: PhoneBackup) async throws {
    expectNone(try await ShapeRuns.shared.run(backup).problems)
  }

  @Test("Shapes: an import is refused, incomplete or complete", arguments: PhoneBackups.all)
  func exitCode(_ backup: PhoneBackup) async throws {
    let expected: Int32 = backup.app == nil ? 1 : backup.taken.lost.isEmpty ? 0 : 3
    let run = try await ShapeRuns.shared.run(backup)
    #expect(run.exitCode == expected, "\(run.refusal ?? "")")
  }

  /// `SMILEPILE_WRITE_DOCS=1 swift test --filter ShapeTests` writes the table of `docs/format/phone-backups.md`.
  @Test("Shapes: the table of the document has the results of these tests")
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
