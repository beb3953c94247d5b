import Checksums
import FileSystem
import Foundation
import GRDB
import Operations
import SystemPackage
import TestSupport

@testable import PhotoLibrary

extension LibraryEdit {
  /// Takes out all that a library holds.
  mutating func removeAll(of contents: LibraryContents) {
    removedPhotos = contents.photos.map(\.id)
    removedCategories = contents.categories.map(\.id)
  }
}

/// A library in a temporary folder, with short ways to fill it and to look at it.
struct LibraryScratch {
  let folder = ScratchFolder()
  /// October 2025: where the photos of these tests lie.
  static let october: Timestamp = 1_759_413_600_000
  /// The ID of an operation that was interrupted.
  static let interrupted = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"

  var path: FilePath { folder.path("library") }

  /// Makes a library, and fills it by one change if `files` has photos.
  init(_ files: KeyValuePairs<String, String> = [:], as kind: Change.Kind = .merge) throws {
    try Library.create(at: path, now: Date(timeIntervalSince1970: 1))
    if !files.isEmpty { try commit(files, as: kind) }
  }

  func writer() throws -> LibraryWriter { try LibraryWriter(path: path) }

  func contents() throws -> LibraryContents { try Library(path: path).contents() }

  /// What lies in the library beside the database and the locks, the empty working folders left out.
  func files() throws -> [String: ScratchFolder.Item] {
    try folder.tree("library").filter { path, _ in
      !path.hasPrefix("library.sqlite") && !path.hasSuffix(".lock") && path != ".staging" && path != ".undo"
    }
  }

  /// The texts in the photo files, by their paths.
  func photoTexts() throws -> [String: String] {
    try files().compactMapValues { item in
      if case .file(let bytes) = item { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
  }

  /// Works on the database behind the library's back.
  @discardableResult
  func sql<Value>(_ body: (Database) throws -> Value) throws -> Value {
    let database = try DatabaseQueue(path: path.appending("library.sqlite").string)
    defer { try? database.close() }
    return try database.write(body)
  }

  /// Returns the files of the database, by their names.
  func databaseFiles() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in Self.databaseNames {
      files[name] = try? Data(contentsOf: URL(filePath: path.appending(name).string))
    }
    return files
  }

  /// Puts files of the database in the place of the present ones.
  func restore(_ files: [String: Data]) throws {
    for name in Self.databaseNames {
      let url = URL(filePath: path.appending(name).string)
      try? FileManager.default.removeItem(at: url)
      try files[name]?.write(to: url)
    }
  }

  private static let databaseNames = ["library.sqlite", "library.sqlite-wal", "library.sqlite-shm"]

  static func category(_ id: Int64 = 1, _ name: String = "family") -> PhotoLibrary.Category {
    Category(id: id, name: name, displayName: name, createdAt: 5, valuesAsOf: 5)
  }

  /// Inserts `category()`.
  static func insertCategory(_ name: String = "family", into database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO category (id, name, displayName, position, isDefault, createdAt, valuesAsOf)
        VALUES (1, ?, ?, 0, 0, 5, 5)
        """, arguments: [name, name])
  }

  static func photo(
    _ id: Int64, _ path: String, _ text: String, category: Int64 = 1, createdAt: Timestamp = october
  ) -> Photo {
    Photo(
      id: id, categoryId: category, name: "photo \(id)", path: path,
      originalPath: FileName.lastComponent(of: path), createdAt: createdAt, fileSize: text.utf8.count,
      md5: digest(text))
  }

  /// Leaves the pending moves of an interrupted operation: the targets, with the texts of the staged files `0`, `1`, ….
  func leaveMoves(
    _ texts: KeyValuePairs<String, String>, kind: FileMove.Kind = .add,
    of operation: String = interrupted
  ) throws {
    let moves = texts.enumerated().map { index, item in
      FileMove(
        operationID: operation, kind: kind, source: "\(index)", target: item.key,
        md5: Self.digest(item.value))
    }
    try sql { try FileMove.insert(moves, into: $0) }
  }

  /// Returns the pending moves.
  func pendingMoves() throws -> [FileMove] { try Library(path: path).read { try FileMove.pending(in: $0) } }

  static func digest(_ text: String) -> MD5Digest {
    var hash = RunningMD5()
    Array(text.utf8).withUnsafeBytes { hash.update($0) }
    return hash.digest
  }

  /// Stages photos with these texts, gives them their places, and makes rows for them with ids from `firstId` on.
  static func stage(
    _ files: KeyValuePairs<String, String>, in change: Change, of writer: LibraryWriter, firstId: Int64 = 1
  ) throws -> (photos: [Photo], files: [Change.StagedFile]) {
    let paths = try writer.newPaths(for: files.map { ($0.key, october) })
    var photos: [Photo] = []
    var staged: [Change.StagedFile] = []
    for (index, path) in paths.enumerated() {
      let text = files[index].value
      try change.staging.stage("\(index)").write(Array(text.utf8), at: 0)
      photos.append(photo(firstId + Int64(index), path, text))
      staged.append(Change.StagedFile(name: "\(index)", path: path, md5: digest(text)))
    }
    return (photos, staged)
  }

  /// Adds the photos a, b and c in “family”, and d and e in “cars”. The photos a and d have the same bytes.
  ///
  /// - Parameter adjust: sets further values of the five photos.
  func addTwoCategories(_ adjust: (inout [Photo]) -> Void) throws {
    let writer = try writer()
    try writer.change(.add) { change in
      var (photos, files) = try Self.stage(
        ["a.jpg": "one", "b.jpg": "two", "c.jpg": "three", "d.jpg": "one", "e.jpg": "five"], in: change,
        of: writer)
      for index in 3...4 { photos[index].categoryId = 2 }
      adjust(&photos)
      var edit = LibraryEdit()
      edit.newCategories = [Self.category(), Self.category(2, "cars")]
      edit.newCategories[1].position = 1
      edit.newPhotos = photos
      try change.commit(edit, files: files)
    }
  }

  /// Makes one change: photos with these texts, in the category 1, which is made where it is needed.
  @discardableResult
  func commit(
    _ files: KeyValuePairs<String, String>, as kind: Change.Kind = .merge, firstId: Int64 = 1,
    keeping kept: [Photo] = [], with writer: LibraryWriter? = nil
  ) throws -> [Photo] {
    let writer = try writer ?? self.writer()
    let needsCategory = try kind == .replace || writer.library.contents().categories.isEmpty
    return try writer.change(kind) { change in
      let (photos, staged) = try Self.stage(files, in: change, of: writer, firstId: firstId)
      var edit = LibraryEdit()
      if kind == .replace { try edit.removeAll(of: writer.library.contents()) }
      if needsCategory { edit.newCategories = [Self.category()] }
      edit.newPhotos = photos + kept
      try change.commit(edit, files: staged)
      return photos
    }
  }

  /// Takes back the newest change.
  @discardableResult
  func undo(_ authorization: Authorization = .given, isDryRun: Bool = false) throws -> UndoSummary {
    let options = ChangeOptions(authorization: authorization, isDryRun: isDryRun)
    return try ChangeRun(path: path, options: options, counter: ProgressCounter()).undo()
  }

  /// Every row that is no asset has a file with its bytes.
  func rowsWithoutFile() throws -> [Photo] {
    let library = try Library(path: path)
    return try library.contents().photos.filter { try !$0.isFromAssets && !library.hasIntactFile(of: $0) }
  }
}
