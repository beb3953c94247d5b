internal import Databases
import Foundation
internal import GRDB

/// Parsed descriptors. Those of plain archives are a cache: the caller may delete them at any time. Those of encrypted
/// archives are a record of what this machine may be unable to read again.
extension Ledger {
  /// The format of a stored descriptor. Descriptors of plain archives in another format are read again from the
  /// archives; a change of the format has to convert those of encrypted archives.
  private static let descriptorFormat = 1

  /// Returns the stored descriptors of the files in a folder, by location, each with the version of the file that it
  /// describes. Blocks.
  package func descriptors(inFolder location: String) -> [String: (
    file: ArchiveFile, descriptor: ArchiveDescriptor
  )] {
    // the names below a folder lie between “/” and the character after it
    let rows = rows(
      """
      SELECT location, bytes, modifiedAt, changedAt, json FROM descriptor
      WHERE location > ? AND location < ? AND format = ?
      """, ["\(location)/", "\(location)0", Self.descriptorFormat], of: "descriptor"
    ) { row -> (file: ArchiveFile, json: Data) in (file: try ArchiveFile(row), json: try row.bytes("json")) }
    var descriptors: [String: (file: ArchiveFile, descriptor: ArchiveDescriptor)] = [:]
    for (file, json) in rows {
      guard let descriptor = try? JSONDecoder().decode(ArchiveDescriptor.self, from: json) else { continue }
      descriptors[file.location] = (file, descriptor)
    }
    return descriptors
  }

  /// Stores descriptors, and deletes those of files that are missing from a folder, in one transaction. Blocks.
  ///
  /// - Parameter obsolete: locations.
  package func store(
    _ descriptors: [(file: ArchiveFile, descriptor: ArchiveDescriptor)], deleting obsolete: [String]
  ) {
    guard !descriptors.isEmpty || !obsolete.isEmpty else { return }
    _ = write { database in
      for (file, descriptor) in descriptors {
        try database.execute(
          sql: """
            INSERT OR REPLACE INTO descriptor (location, bytes, modifiedAt, changedAt, format, json)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            file.location, file.bytes, file.modifiedAt, file.changedAt, Self.descriptorFormat,
            try JSONEncoder().encode(descriptor),
          ])
      }
      for location in obsolete {
        try database.execute(sql: "DELETE FROM descriptor WHERE location = ?", arguments: [location])
      }
    }
  }
}

extension ArchiveFile {
  /// Reads the version of a file from a row of `descriptor` or `inboxFile`.
  init(_ row: RowReader) throws {
    self.init(
      location: try row.text("location"), bytes: try row.count("bytes"),
      modifiedAt: try row.time("modifiedAt"), changedAt: try row.time("changedAt"))
  }
}
