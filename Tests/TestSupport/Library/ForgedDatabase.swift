import GRDB
import SystemPackage

/// Changes a database as a person does who edits the file byte by byte.
package enum ForgedDatabase {
  /// Runs a statement. SQLite checks neither types nor conditions, and the schema has the same text afterwards.
  package static func execute(_ sql: String, in file: FilePath) throws {
    var originals: [(name: String, sql: String)] = []
    try edit(file) { database in
      for row in try Row.fetchAll(database, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'table'") {
        originals.append((row[0], row[1]))
      }
      try database.execute(
        sql: """
          UPDATE sqlite_schema
          SET sql = replace(replace(replace(sql, ') STRICT', ')'), 'PRIMARY KEY NOT NULL', 'PRIMARY KEY'), 'NOT NULL', '')
          WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%WITHOUT ROWID'
          """)
    }
    let result = Result { try edit(file) { try $0.execute(sql: sql) } }
    try edit(file) { database in
      for table in originals {
        try database.execute(
          sql: "UPDATE sqlite_schema SET sql = ? WHERE name = ? AND type = 'table'",
          arguments: [table.sql, table.name])
      }
    }
    try result.get()
  }

  private static func edit(_ file: FilePath, _ body: (Database) throws -> Void) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let database = try DatabaseQueue(path: file.string, configuration: configuration)
    defer { try? database.close() }
    try database.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON")
      try body(database)
    }
  }
}
