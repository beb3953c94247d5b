import Foundation
import GRDB
import SystemPackage
import TestSupport

/// One random damage of the database of a library.
struct DatabaseDamage {
  /// What is changed.
  enum Kind: CaseIterable {
    /// Some bytes.
    case bytes
    /// The length.
    case length
    /// Whole pages: exchanged, copied or zeroed.
    case pages
    /// The values of one column.
    case values
    /// The schema.
    case schema
  }

  let kind: Kind
  /// The damage in a message.
  private(set) var label = ""
  /// The table of the changed values, or the name of the changed object; nil if the damage has no place.
  private(set) var place: String?

  private static let values = [
    "NULL", "-1", "0", "2", "9223372036854775807", "-9223372036854775808", "4611686018427387904", "1e300",
    "0.5",
    "''", "'x'", "'../../../etc/passwd'", "'/etc/passwd'", "'photos/' || char(0) || 'x'", "'library.sqlite'",
    "char(27) || '[2J'", "x''", "x'010203'", "zeroblob(16)", "zeroblob(100000)", "CAST(x'ff80c0' AS TEXT)",
    "printf('%.100000c', 'x')",
  ]

  private static let statements = [
    ("odd", "CREATE TRIGGER odd AFTER INSERT ON export BEGIN DELETE FROM photo; END"),
    ("odd", "CREATE TRIGGER odd BEFORE DELETE ON photo BEGIN SELECT RAISE(IGNORE); END"),
    (
      "odd",
      "CREATE VIEW odd AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x FROM n"
    ),
    ("odd", "CREATE TABLE odd (id)"), ("odd", "CREATE INDEX odd ON photo(name)"),
    ("odd", "CREATE UNIQUE INDEX odd ON photo(isFromAssets, categoryId, id)"),
    ("photoPath", "DROP INDEX photoPath"), ("categoryName", "DROP INDEX categoryName"),
    ("photo", "ALTER TABLE photo ADD COLUMN odd TEXT DEFAULT 'x'"),
    ("export", "ALTER TABLE export DROP COLUMN changes"),
    ("odd", "ALTER TABLE fileMove RENAME TO odd"), ("pin", "DROP TABLE pin"),
    ("identity", "ALTER TABLE identity RENAME COLUMN uuid TO odd"),
    (
      "settings",
      "UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'settings'"
    ),
    ("photo", "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'photo'"),
  ]

  /// Damages a database, which no process has open.
  init(of file: FilePath, _ numbers: inout SeededNumbers) throws {
    // damage of bytes alone mostly hits values and free space
    kind = Kind.allCases.randomElement(using: &numbers) ?? .bytes
    switch kind {
    case .bytes, .length, .pages:
      var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.string)))
      damage(&bytes, &numbers)
      try Data(bytes).write(to: URL(fileURLWithPath: file.string))
    case .values: try damageValues(of: file, &numbers)
    case .schema:
      guard let (name, sql) = Self.statements.randomElement(using: &numbers) else { return }
      (label, place) = (sql, name)
      let database = try DatabaseQueue(path: file.string)
      try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA writable_schema = ON; \(sql)") }
      try database.close()
    }
  }

  private mutating func damage(_ bytes: inout [UInt8], _ numbers: inout SeededNumbers) {
    let page = 4096
    switch kind {
    case .bytes:
      for _ in 0..<Int.random(in: 1...16, using: &numbers) {
        let index = Int.random(in: 0..<bytes.count, using: &numbers)
        bytes[index] = UInt8.random(in: 0...255, using: &numbers)
        label += "\(index) "
      }
    case .length:
      let count = Int.random(in: 0..<bytes.count, using: &numbers)
      bytes.removeLast(bytes.count - count)
      label = "\(count)"
    default:
      let pages = bytes.count / page
      let from = Int.random(in: 0..<pages, using: &numbers)
      let to = Int.random(in: 0..<pages, using: &numbers)
      let isExchange = Bool.random(using: &numbers)
      for index in 0..<page {
        if from == to { bytes[from * page + index] = 0 }
        if isExchange {
          bytes.swapAt(from * page + index, to * page + index)
        } else {
          bytes[to * page + index] = bytes[from * page + index]
        }
      }
      label = "\(from) \(to) \(isExchange)"
    }
  }

  private mutating func damageValues(of file: FilePath, _ numbers: inout SeededNumbers) throws {
    let database = try DatabaseQueue(path: file.string)
    let tables = try database.read { database in
      try String.fetchAll(
        database,
        sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    }
    let table = tables.randomElement(using: &numbers) ?? "photo"
    let columns = try database.read { try $0.columns(in: table).map(\.name) }
    try database.close()
    let column = columns.randomElement(using: &numbers) ?? "id"
    let value = Self.values.randomElement(using: &numbers) ?? "NULL"
    let rows = Bool.random(using: &numbers) ? " WHERE rowid = (SELECT max(rowid) FROM \(table))" : ""
    let sql = "UPDATE OR REPLACE \(table) SET \(column) = \(value)\(rows)"
    (label, place) = (sql, table)
    // a key of another type is a datatype mismatch even without STRICT
    try? ForgedDatabase.execute(sql, in: file)
  }
}
