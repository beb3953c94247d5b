internal import Databases
internal import GRDB
import Operations

extension ArchiveObserver {
  /// Records what the operation found about the photos of a library, in one durable transaction. Blocks.
  ///
  /// - Parameter library: the ID of the library.
  package func record(_ found: PhotoFindings, ofLibrary library: String) {
    _ = ledger.write { database in
      func insert(_ photo: Int64, _ event: PhotoObservation.Event, _ message: String? = nil) throws {
        try database.execute(
          sql: """
            INSERT INTO photoObservation (recorded, begun, library, photo, event, message, at, observer)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            try Ledger.nextPosition(database), begun.number, library, photo, event.rawValue, message, moment,
            name,
          ])
      }
      let known = PhotoDamage(try Ledger.photoObservations(ofLibrary: library, database)).photos.keys
      let damaged = found.damaged.compactMap { finding in
        finding.subject.photoID.map { (id: $0, message: finding.message) }
      }
      for photo in damaged {
        try insert(photo.id, found.areInNoArchive ? .inNoArchive : .damaged, photo.message)
      }
      for id in Set(known).subtracting(damaged.map(\.id)).sorted() where found.covers(id) {
        try insert(id, .intact)
      }
    }
  }
}

extension Ledger {
  /// Derives which photos of a library are corrupt or missing. Blocks.
  ///
  /// - Parameter library: the ID of the library.
  package func photoDamage(ofLibrary library: String) -> PhotoDamage {
    PhotoDamage(read { try Self.photoObservations(ofLibrary: library, $0) } ?? [])
  }

  static func photoObservations(ofLibrary library: String, _ database: Database) throws -> [PhotoObservation]
  {
    try database.rows(
      """
      SELECT recorded, photo, event, message, begun, at FROM photoObservation WHERE library = ? ORDER BY recorded
      """, [library], of: "photoObservation"
    ) { row in
      PhotoObservation(
        try row.integer("photo"), try row.enumeration("event"), try row.optionalText("message") ?? "",
        begun: LedgerPosition(try row.integer("begun", in: LedgerPosition.range)),
        recorded: LedgerPosition(try row.integer("recorded", in: LedgerPosition.range)),
        at: try row.time("at"))
    }
  }
}
