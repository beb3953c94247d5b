import Checksums
internal import Databases
internal import GRDB

/// A photo in a category: a row, and a file in the library's photo folder unless it ships inside the app.
///
/// The identity of a photo is its content in its category, not its path, ID or file name. Two rows may have equal
/// content.
public struct Photo: Sendable, Equatable, Identifiable {
  /// The row's ID; 1…2⁵³ if this library chose it.
  public var id: Int64
  /// The ID of its category.
  public var categoryId: Int64
  /// The displayed name.
  public var name: String
  /// The path of the file in the library (`photos/2025/10/x.jpg`), or the path of an asset in the app.
  public var path: String
  /// The path on the phone that it came from, or the name of the added file. Its last component is the photo's file
  /// name. Never a path to write to.
  public var originalPath: String
  /// True if the photo ships inside the app: it has a row and no file.
  public var isFromAssets: Bool
  /// When it was taken.
  public var createdAt: Timestamp
  /// The file's size in bytes; for an asset, the size in its backup.
  public var fileSize: Int
  /// Width as stored in the file, before any rotation, in pixels; 0 where unknown.
  public var width: Int
  /// Height as stored in the file, before any rotation, in pixels; 0 where unknown.
  public var height: Int
  /// The MD5 of the file; nil for an asset, and only for an asset.
  public var md5: MD5Digest?
  /// True if it was marked as a favorite on its phone; nil if its backup does not say.
  public var isFavorite: Bool?
  /// True if the phone listed it among the photos that ship inside the app although its file was in the backup. Here
  /// it is a photo like any other; the next export says so again.
  public var shipsWithApp = false

  /// Makes a photo.
  public init(
    id: Int64, categoryId: Int64, name: String, path: String, originalPath: String,
    isFromAssets: Bool = false, createdAt: Timestamp, fileSize: Int, width: Int = 0, height: Int = 0,
    md5: MD5Digest?
  ) {
    self.id = id
    self.categoryId = categoryId
    self.name = name
    self.path = path
    self.originalPath = originalPath
    self.isFromAssets = isFromAssets
    self.createdAt = createdAt
    self.fileSize = fileSize
    self.width = width
    self.height = height
    self.md5 = md5
  }

  /// The name of the photo's file on the phone or in the folder that it came from.
  public var fileName: String { FileName.lastComponent(of: originalPath) }
}

extension Photo: StoredRow {
  /// The table of photos.
  static let databaseTableName = "photo"

  /// What to select from `photo` or `replacedPhoto`, in the order in which `init(_:)` reads it.
  static let columns =
    "id, categoryId, name, path, originalPath, isFromAssets, createdAt, fileSize, width, height, md5, isFavorite, shipsWithApp"

  /// Reads a row selected as `columns`, by position: looking up columns by name takes most of the time of reading a
  /// large library.
  init(_ row: RowReader) throws {
    id = try row.integer("id", at: 0)
    categoryId = try row.integer("categoryId", at: 1)
    name = try row.text("name", at: 2)
    path = try row.text("path", at: 3)
    originalPath = try row.text("originalPath", at: 4)
    isFromAssets = try row.flag("isFromAssets", at: 5)
    createdAt = try row.time("createdAt", at: 6)
    fileSize = try row.count("fileSize", at: 7)
    width = Int(try row.integer("width", at: 8))
    height = Int(try row.integer("height", at: 9))
    md5 = try row.optionalMD5("md5", at: 10)
    isFavorite = try row.optionalFlag("isFavorite", at: 11)
    shipsWithApp = try row.flag("shipsWithApp", at: 12)
    guard isFromAssets == (md5 == nil) else {
      throw row.fault(isFromAssets ? "an asset of the app has an MD5" : "md5 is NULL")
    }
  }

  /// Inserts rows with one statement.
  static func insert(_ photos: [Photo], into database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "INSERT INTO photo (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    for photo in photos {
      try statement.execute(
        arguments: [
          photo.id, photo.categoryId, photo.name, photo.path, photo.originalPath, photo.isFromAssets,
          photo.createdAt, photo.fileSize, photo.width, photo.height, photo.md5?.blob, photo.isFavorite,
          photo.shipsWithApp,
        ])
    }
  }

  /// Fills a row of `photo`.
  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["categoryId"] = categoryId
    container["name"] = name
    container["path"] = path
    container["originalPath"] = originalPath
    container["isFromAssets"] = isFromAssets
    container["createdAt"] = createdAt
    container["fileSize"] = fileSize
    container["width"] = width
    container["height"] = height
    container["md5"] = md5?.blob
    container["isFavorite"] = isFavorite
    container["shipsWithApp"] = shipsWithApp
  }
}
