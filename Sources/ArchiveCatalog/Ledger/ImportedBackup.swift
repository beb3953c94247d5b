internal import Databases
import Foundation
internal import GRDB

/// A backup that was imported from an inbox into a library, identified by its content.
package struct ImportedBackup: Sendable, Equatable {
  /// The SHA-256 of the file.
  package let content: [UInt8]
  /// The ID of the library.
  package let library: String
  /// When it was imported.
  package let at: Timestamp
  /// The number of photos that the import added.
  package let photos: Int
  /// Why photos of the backup are not in the library, in one line; nil if the backup is not damaged.
  package let problem: String?

  /// Makes a record of these parts.
  package init(content: [UInt8], library: String, at: Timestamp, photos: Int, problem: String?) {
    (self.content, self.library, self.at) = (content, library, at)
    (self.photos, self.problem) = (photos, problem)
  }
}

extension Ledger {
  /// The length of a content's SHA-256.
  private static let digestLength = 32...32

  /// Returns the contents of the files in an inbox, by location, each with the version of the file that has the content.
  /// Blocks.
  package func inboxContents(
    inFolder location: String
  ) -> [String: (file: ArchiveFile, content: [UInt8])] {
    // the names below a folder lie between “/” and the character after it
    let rows = rows(
      """
      SELECT location, bytes, modifiedAt, changedAt, content FROM inboxFile
      WHERE location > ? AND location < ?
      """, ["\(location)/", "\(location)0"], of: "inboxFile"
    ) { row -> (file: ArchiveFile, content: [UInt8]) in
      (file: try ArchiveFile(row), content: [UInt8](try row.bytes("content", count: Self.digestLength)))
    }
    // an inbox may contain another one
    let own = rows.filter { !$0.file.location.dropFirst(location.count + 1).contains("/") }
    return Dictionary(own.map { ($0.file.location, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the backups that were imported into a library, by content. Blocks.
  package func importedBackups(library: String) -> [[UInt8]: ImportedBackup] {
    let rows = rows(
      "SELECT content, at, photos, problem FROM importedBackup WHERE library = ?", [library],
      of: "importedBackup"
    ) { row in
      ImportedBackup(
        content: [UInt8](try row.bytes("content", count: Self.digestLength)), library: library,
        at: try row.time("at"), photos: try row.count("photos"), problem: try row.optionalText("problem"))
    }
    return Dictionary(rows.map { ($0.content, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Records the content of a version of a file in an inbox and, if the file was imported now, its import, in one
  /// durable transaction. Blocks.
  package func record(_ content: [UInt8], of file: ArchiveFile, importedNow backup: ImportedBackup? = nil) {
    _ = write { database in
      if let backup {
        try database.execute(
          sql: """
            INSERT OR REPLACE INTO importedBackup (library, content, at, photos, problem) VALUES (?, ?, ?, ?, ?)
            """,
          arguments: [backup.library, Data(backup.content), backup.at, backup.photos, backup.problem])
      }
      try database.execute(
        sql: """
          INSERT OR REPLACE INTO inboxFile (location, bytes, modifiedAt, changedAt, content) VALUES (?, ?, ?, ?, ?)
          """,
        arguments: [file.location, file.bytes, file.modifiedAt, file.changedAt, Data(content)])
    }
  }

  /// Forgets the contents of files that are no longer in an inbox. Blocks.
  package func forgetInboxFiles(_ locations: [String]) {
    guard !locations.isEmpty else { return }
    _ = write { database in
      for location in locations {
        try database.execute(sql: "DELETE FROM inboxFile WHERE location = ?", arguments: [location])
      }
    }
  }
}
