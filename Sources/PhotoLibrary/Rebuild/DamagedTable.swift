internal import Databases
internal import GRDB

/// Reads the rows of a table in the order of their keys, and goes on behind a corrupt page.
struct DamagedTable {
  private let database: Database
  private let table: String
  private let columns: String
  /// The name of the key, which is the first column.
  private let key: String
  /// The least key that was not read yet.
  private var next = Int64.min
  /// True if no row was lost.
  private(set) var isComplete = true

  init(_ table: String, columns: String, key: String, in database: Database) {
    (self.table, self.columns, self.key, self.database) = (table, columns, key, database)
  }

  /// Reads all rows that can be read, and leaves out those for which `read` throws.
  mutating func rows<Value>(_ read: (RowReader) throws -> Value) throws -> [Value] {
    var values: [Value] = []
    guard var limit = try SalvagedRows.unlessDamaged({ try RowLimit(database) }) else {
      isComplete = false
      return []
    }
    var start: Int64? = next
    while let from = start {
      next = from
      if try SalvagedRows.unlessDamaged({ try scan(&limit, &values, read) }) != nil { break }
      isComplete = false
      start = try firstReadable()
    }
    return values
  }

  private mutating func scan<Value>(
    _ limit: inout RowLimit, _ values: inout [Value], _ read: (RowReader) throws -> Value
  ) throws {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT \(columns) FROM \(table) WHERE \(key) >= ? ORDER BY \(key)",
      arguments: [next])
    let reader = RowReader(rows, of: table)
    while try rows.next() != nil {
      // a forged tree may have any order, and no end
      guard let id = try? reader.integer(key, at: 0), id >= next, (try? limit.count(reader)) != nil else {
        isComplete = false
        return
      }
      if let value = try? read(reader) { values.append(value) } else { isComplete = false }
      guard id < .max else { return }
      next = id + 1
    }
  }

  /// Returns the least key behind the damage from which rows can be read; nil if no row can be read.
  private func firstReadable() throws -> Int64? {
    // the keys that this program writes are positive
    var unreadable = max(next, 0)
    var step: Int64 = 1
    var readable: Int64?
    while readable == nil {
      let (sum, isTooLarge) = unreadable.addingReportingOverflow(step)
      let probe = isTooLarge ? .max : sum
      if try isReadable(from: probe) {
        readable = probe
      } else if probe == .max {
        return nil
      } else {
        unreadable = probe
        step = step < .max / 2 ? step * 2 : .max / 2
      }
    }
    guard var found = readable else { return nil }
    while found - unreadable > 1 {
      let middle = unreadable + (found - unreadable) / 2
      if try isReadable(from: middle) { found = middle } else { unreadable = middle }
    }
    return found
  }

  private func isReadable(from start: Int64) throws -> Bool {
    try SalvagedRows.unlessDamaged {
      _ = try Row.fetchOne(
        database, sql: "SELECT \(key) FROM \(table) WHERE \(key) >= ? ORDER BY \(key) LIMIT 1",
        arguments: [start])
    } != nil
  }
}
