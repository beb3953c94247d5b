internal import Databases
import FileSystem
import Foundation
internal import GRDB
import SystemPackage

/// The rows of a damaged database that can still be read. All of them are untrusted: a corrupt page may have any values.
package struct SalvagedRows: Sendable {
  /// The library ID; nil if it cannot be read.
  package internal(set) var libraryID: String?
  /// The categories.
  package internal(set) var categories: [Category] = []
  /// True if all categories were read.
  package internal(set) var hasAllCategories = false
  /// The photos, by ID.
  package internal(set) var photos: [Photo] = []
  /// True if all photos were read: a photo that is not among them was not in the library.
  package internal(set) var hasAllPhotos = false
  /// The settings; nil if they cannot be read.
  package internal(set) var settings: Settings?
  /// What a person moved or removed; nil if it cannot be read completely, since the order matters.
  package internal(set) var movements: [Movement]?
  /// What runs of `sort` left.
  package internal(set) var sorting = SalvagedSorting()
  /// The pairs of contents that a person does not take for duplicates. If they cannot be read, searches show them again.
  package internal(set) var dismissals: Set<Dismissal> = []
  /// The archives that were made of the library.
  package internal(set) var exports: [ExportRecord] = []
  var pin: PINRecord?

  /// Makes no rows, as of a missing database.
  package init() {}

  /// True if nothing can be read.
  package var isEmpty: Bool { libraryID == nil && categories.isEmpty && photos.isEmpty && settings == nil }

  /// True if there is a PIN that can be read.
  package var hasPIN: Bool { pin != nil }

  /// True if the PIN can be read, or is known to be missing.
  package internal(set) var knowsPIN = false
}

/// What runs of `sort` left in a damaged database. If it cannot be read, the next run considers all photos except those
/// that were moved.
package struct SalvagedSorting: Sendable, Equatable {
  /// The places of the movements that `sort` made, among all movements.
  var movements: Set<Int> = []
  /// The photos that `sort` considered.
  var marks: [SortMarkRow] = []

  /// Makes one without movements and marks.
  package init() {}
}

extension LostLibrary {
  /// Reads the rows of the damaged database, table by table. A corrupt page loses only its rows. Blocks; writes only SQLite's
  /// files `-shm` and `-wal`.
  ///
  /// - Throws: `CancellationError`.
  package func salvagedRows() throws -> SalvagedRows {
    let folder = try databaseFolder()
    guard try folder.directory.status(of: Library.databaseName)?.kind == .file else { return SalvagedRows() }
    // SQLite applies the log only to a database that it may lock
    for isImmutable in [false, true] {
      let rows = try Self.rows(of: Library.databaseName, in: folder, isImmutable: isImmutable)
      if let rows, !rows.isEmpty { return rows }
    }
    return try rowsOfCopy(of: Library.databaseName, in: folder) ?? SalvagedRows()
  }

  /// Returns true if there is a database that is not empty, whatever can be read of it. Blocks.
  package func hasDatabase() throws -> Bool {
    let status = try databaseFolder().directory.status(of: Library.databaseName)
    return status.map { $0.kind == .file && $0.size > 0 } ?? false
  }

  /// Reads the rows of a database that has lost its header, or that is truncated, from a copy in memory with another header.
  ///
  /// - Returns: nil if another header does not help.
  private func rowsOfCopy(of name: FilePath, in folder: OpenFolder) throws -> SalvagedRows? {
    let file = try folder.directory.open(name, .read)
    let size = try file.status().size
    let start = try file.read(DatabaseHeader.length + 1, at: 0)
    guard size <= 1 << 30, let header = DatabaseHeader.replacing(start, fileSize: size) else { return nil }
    return try Self.rows {
      try PinnedDatabase(bytes: size) { memory in
        // pages that cannot be read have zeros
        _ = memory.initializeMemory(as: UInt8.self, repeating: 0)
        for offset in stride(from: 0, to: size, by: DatabaseHeader.pageSize) {
          let page = memory[offset..<min(offset + DatabaseHeader.pageSize, size)]
          _ = try? file.read(into: UnsafeMutableRawBufferPointer(rebasing: page), at: offset)
        }
        memory.copyBytes(from: header)
      }
    }
  }

  /// Returns nil if SQLite cannot open the database.
  private static func rows(
    of name: FilePath, in folder: OpenFolder, isImmutable: Bool
  ) throws -> SalvagedRows? {
    let file = try DatabaseFile.shared(name, in: folder.directory)
    return try withExtendedLifetime(file) {
      try rows { try PinnedDatabase(name, in: folder, .waiting(readonly: true), isImmutable: isImmutable) }
    }
  }

  private static func rows(of open: () throws -> PinnedDatabase) throws -> SalvagedRows? {
    var rows: SalvagedRows?
    do {
      let database = try open()
      try withExtendedLifetime(database) { try database.queue.read { rows = try SalvagedRows($0) } }
      return rows
    } catch let error as DatabaseError where error.resultCode.primaryResultCode == .SQLITE_INTERRUPT {
      throw CancellationError()
    } catch is DatabaseError {
      // after a corrupt page, SQLite reports an error at the end of the transaction, too
      return rows
    }
  }

  /// Opens the folder that has the old database with its log.
  private func databaseFolder() throws -> OpenFolder {
    try LostDatabases.unfinishedRebuild(in: root).map { OpenFolder(try root.directory($0)) } ?? folder
  }
}

extension SalvagedRows {
  init(_ database: Database) throws {
    // a table whose definition is damaged reads as if values had never been set
    guard let tables = try Self.unlessDamaged({ try Schema.library.intactTables(in: database) }) else {
      return
    }
    /// Reads a table that has few rows. A part of them could be taken for all of them, so all pages must be intact.
    func intact<Value>(_ table: String, _ read: () throws -> Value?) throws -> Value? {
      guard tables.contains(table) else { return nil }
      return try Self.unlessDamaged {
        let answer = try String.fetchOne(database, sql: "PRAGMA integrity_check(\(table))")
        return answer == "ok" ? try read() : nil
      } ?? nil
    }
    func first<Value>(_ table: String, _ read: (RowReader) throws -> Value) throws -> Value? {
      try intact(table) {
        try database.firstRow("SELECT * FROM \(table)", of: table, read)
      }
    }
    libraryID = try first("identity") { try $0.text("uuid") }.flatMap { UUID(uuidString: $0)?.uuidString }
    settings = try intact(Settings.databaseTableName) {
      let stored = try StoredSettings(database)
      return stored.faults.isEmpty ? stored.settings : nil
    }
    movements = try intact("movement") { try Movement.fetchAll(database) }
    sorting.movements = try intact("movement") { try Movement.fetchPlacesOfSort(database) } ?? []
    sorting.marks = try intact("sortMark") { try SortMarkRow.fetchAll(database) } ?? []
    dismissals = try intact("dismissal") { try Dismissal.fetchAll(database) } ?? []
    let record = try intact("pin") { Optional.some(try PINRecord(database)) }
    (knowsPIN, pin) = (record != nil, record ?? nil)

    if tables.contains(Category.databaseTableName) {
      var categories = DamagedTable(
        Category.databaseTableName, columns: "*", key: "id", in: database)
      self.categories = try categories.rows { try Category($0) }
      hasAllCategories = categories.isComplete
    }
    if tables.contains(ExportRecord.databaseTableName) {
      var exports = DamagedTable(
        ExportRecord.databaseTableName, columns: "rowid, *", key: "rowid", in: database)
      self.exports = try exports.rows { try ExportRecord($0) }
    }
    if tables.contains(Photo.databaseTableName) { try readPhotos(database) }
  }

  private mutating func readPhotos(_ database: Database) throws {
    var table = DamagedTable(
      Photo.databaseTableName, columns: Photo.columns, key: "id", in: database)
    photos = try table.rows { try Photo($0) }
    // a page that was exchanged for another one may have less rows and no fault
    let count = try Self.unlessDamaged {
      try Int.fetchOne(database, sql: "SELECT count(*) FROM photo INDEXED BY photoCategory")
    }
    hasAllPhotos = table.isComplete && count == photos.count
  }

  /// Returns nil if the database is damaged where `body` reads.
  ///
  /// - Throws: `CancellationError`.
  static func unlessDamaged<Value>(_ body: () throws -> Value) throws -> Value? {
    do {
      return try body()
    } catch let error as DatabaseError where error.resultCode.primaryResultCode == .SQLITE_INTERRUPT {
      throw CancellationError()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return nil
    }
  }
}
