import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// The fixtures that are intact backups.
enum Fixture: String, CaseIterable, CustomTestStringConvertible {
  case android = "android_v2_smilepile_backup_20251003_140000.zip"
  case ios = "ios_v2_SmilePileBackup_2025-10-03_140000.zip"
  case json = "android_v1_smilepile_backup_20250922_002000.json"

  var path: FilePath {
    FilePath(#filePath).removingLastComponent().appending("../../../Fixtures/valid").appending(rawValue)
      .lexicallyNormalized()
  }

  var testDescription: String { "\(self)" }

  /// The document at the root of an archive.
  var metadata: Metadata {
    get throws { try Metadata(json: TestSupport.Fixture.entries(path)["metadata.json"] ?? []) }
  }

  /// A copy under another name.
  func copy(as name: String, in folder: ScratchFolder) throws -> FilePath {
    try folder.write(Array(try Data(contentsOf: URL(fileURLWithPath: path.string))), to: name)
  }
}

extension SampleLibrary {
  /// Imports backups and waits for the end. Confirms the deletion of photos.
  @discardableResult
  func importing(
    _ backups: FilePath..., configure: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> ImportSummary {
    var options = ImportOptions()
    options.authorization = .given
    configure(&options)
    return try await Work.import(backups, into: path, options: options).summary
  }

  /// Exports and waits for the end.
  @discardableResult
  func exporting(
    to destination: FilePath, configure: (inout ExportOptions) -> Void = { _ in }
  ) async throws -> ExportSummary {
    var options = ExportOptions()
    configure(&options)
    return try await Work.export(path, to: destination, options: options).summary
  }
}

/// Expects that a list is empty, and shows its elements otherwise.
func expectNone(_ found: [String], sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(found == [], sourceLocation: sourceLocation)
}
