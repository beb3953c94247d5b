import Checksums
import Foundation
import GRDB
import Operations
import Secrets
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// The rows of a library's database are forged or damaged.
struct UntrustedRowTests {
  private let scratch: LibraryScratch

  init() throws {
    scratch = try LibraryScratch(["a.jpg": "a"])
    try scratch.commit(["b.jpg": "b"], firstId: 2)
  }

  /// Runs a statement behind the library's back. SQLite checks neither types nor conditions.
  private func forge(_ sql: String) throws {
    try ForgedDatabase.execute(sql, in: scratch.path.appending("library.sqlite"))
  }

  private func reason(_ body: () throws -> Void) -> String? {
    let error = #expect(throws: LibraryError.self, performing: body)
    guard case .corruptDatabase(_, let reason)? = error else { return nil }
    return reason
  }

  @Test(
    "Rows: a value that no photo has is an error that names the photo and the column",
    arguments: [
      ("md5 = x'010203'", "photo 1: md5 has 3 bytes"),
      ("md5 = NULL", "photo 1: md5 is NULL"),
      ("md5 = 'sixteen letters.'", "photo 1: md5 is not a blob"),
      ("fileSize = -1", "photo 1: fileSize is -1, which is out of range"),
      ("fileSize = 'large'", "photo 1: fileSize is not an integer"),
      ("fileSize = 1e300", "photo 1: fileSize is not an integer"),
      ("isFromAssets = 7", "photo 1: isFromAssets is 7, which is out of range"),
      ("isFromAssets = 1", "photo 1: an asset of the app has an MD5"),
      ("isFavorite = 2", "photo 1: isFavorite is 2, which is out of range"),
      ("shipsWithApp = NULL", "photo 1: shipsWithApp is NULL"),
      ("name = NULL", "photo 1: name is NULL"),
      ("path = x'00'", "photo 1: path is not a text"),
      ("width = 'wide'", "photo 1: width is not an integer"),
      ("createdAt = 0.5", "photo 1: createdAt is not an integer"),
      ("categoryId = 999", "photo 1: the category 999 does not exist"),
    ])
  func photo(change: String, reason expected: String) throws {
    try forge("UPDATE photo SET \(change) WHERE id = 1")
    let reason = reason { _ = try scratch.contents() }
    #expect(reason == "\(expected)")
  }

  @Test(
    "Rows: a value that no category and no settings have is an error that names the row",
    arguments: [
      ("UPDATE category SET position = 'x'", "category 1: position is not an integer"),
      ("UPDATE category SET isDefault = 9", "category 1: isDefault is 9, which is out of range"),
      ("UPDATE category SET displayName = NULL", "category 1: displayName is NULL"),
      ("UPDATE settings SET changedAt = x'01'", "settings 1: changedAt is not an integer"),
      ("DELETE FROM settings", "the settings record is missing"),
    ])
  func otherTables(sql: String, reason expected: String) throws {
    try forge(sql)
    let reason = reason { _ = try scratch.contents() }
    #expect(reason == "\(expected)")
  }

  @Test("Rows: sizes whose sum exceeds an integer are counted")
  func largeSizes() throws {
    try forge("UPDATE photo SET fileSize = 9223372036854775807")
    let library = try Library(path: scratch.path)
    #expect(try library.totals().bytes == .max)
    #expect(try library.contents().photos.saturatedSum(\.fileSize) == .max)
  }

  @Test(
    "Rows: a PIN that no version has set is an error, and nothing is computed with it",
    arguments: [
      ("x'00', zeroblob(32), 1, 0, 0", "salt has 1 bytes"),
      ("zeroblob(32), x'00', 1, 0, 0", "hash has 1 bytes"),
      ("zeroblob(32), zeroblob(32), 4611686018427387904, 0, 0", "rounds is 4611686018427387904"),
      ("zeroblob(32), zeroblob(32), 2147483648, 0, 0", "rounds is 2147483648"),
      ("zeroblob(32), zeroblob(32), 0, 0, 0", "rounds is 0"),
      ("zeroblob(32), zeroblob(32), 1, 0, -9223372036854775808", "lockedUntil is -9223372036854775808"),
      ("zeroblob(32), zeroblob(32), 1, -1, 0", "failures is -1"),
    ])
  func pin(values: String, reason expected: String) throws {
    try forge("INSERT INTO pin VALUES (1, \(values))")
    let writer = try scratch.writer()
    let pin = try #require(PIN(Secret("1234")))
    let reason = reason { try writer.check(pin) }
    #expect(reason?.hasPrefix("pin 1: \(expected)") == true)
  }

  /// Keeps the photos as the newest change would if it had replaced them.
  private static let keepPhotos =
    "INSERT INTO replacedPhoto SELECT (SELECT id FROM change ORDER BY rowid DESC LIMIT 1), * FROM photo"

  @Test("Rows: a path that is kept for an undo and is no text is an error that names its table")
  func keptPath() throws {
    try forge("\(Self.keepPhotos); UPDATE replacedPhoto SET path = x'010203'")
    let writer = try scratch.writer()
    let reason = reason { _ = try writer.newPaths(for: [("a.jpg", 0)]) }
    #expect(reason?.hasPrefix("replacedPhoto") == true)
  }

  @Test(
    "Rows: what is kept for an undo is checked",
    arguments: [
      ("UPDATE replacedSettings SET createdAt = 'x'", "replacedSettings"),
      ("UPDATE change SET kind = 'explode'", "change"),
      ("\(keepPhotos); UPDATE replacedPhoto SET categoryId = 999", "replacedPhoto 1: the category 999"),
    ])
  func undo(sql: String, table: String) throws {
    try forge(sql)
    let library = try Library(path: scratch.path)
    let reason = reason { _ = try UndoPlan(library) }
    #expect(reason?.hasPrefix(table) == true)
  }

  @Test("Rows: exports and movements are checked")
  func exports() throws {
    try forge(
      """
      INSERT INTO export (id, archive, at, photos, archiveBytes, isPartial, library)
      SELECT 'E', '/a', 1, -1, 1, 0, uuid FROM identity
      """)
    let exportReason = reason { _ = try Library(path: scratch.path).lastExport() }
    #expect(exportReason?.hasPrefix("export E: photos is -1") == true)
    try forge(
      "INSERT INTO movement (changeId, at, origin, md5) VALUES ((SELECT id FROM change), 1, 'family', x'01')")
    let movementReason = reason { _ = try Library(path: scratch.path).contents() }
    #expect(movementReason?.hasSuffix(": md5 has 1 bytes") == true)
  }

  @Test("Rows: an export after the greatest number of changes has no photos added since")
  func changes() throws {
    try forge(
      """
      INSERT INTO export (id, archive, at, photos, archiveBytes, isPartial, changes, library)
      SELECT 'E', '/a', 1, 1, 1, 0, 9223372036854775807, uuid FROM identity
      """)
    let library = try Library(path: scratch.path)
    let export = try #require(try library.lastExport())
    #expect(try library.photosAdded(since: export) == 0)
  }

  @Test("Rows: a value of another type in a query of one column is an error of the library")
  func oneColumn() throws {
    try forge("UPDATE replacedSettings SET changeId = NULL")
    let reason = reason { _ = try UndoPlan(Library(path: scratch.path)) }
    #expect(reason?.contains("replacedSettings") == true)
  }

  @Test("Rows: the greatest sequence number of an export has a successor")
  func sequence() throws {
    try forge(
      """
      INSERT INTO export (id, archive, at, sequence, photos, archiveBytes, isPartial)
      VALUES ('E', '/a', 1, 9223372036854775807, 1, 1, 0)
      """)
    #expect(try Library(path: scratch.path).exportHistory(at: 5).sequence == .max)
  }

  @Test("Rows: a statement that does not end is interrupted by a cancellation")
  func endlessStatement() async throws {
    let path = scratch.path
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let work = Work<Int> { _ in
      let library = try Library(path: path)
      return try library.read { database in
        start.yield()
        return try Int.fetchOne(
          database,
          sql: "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n") ?? 0
      }
    }
    for await _ in started { break }
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.summary }
  }
}
