internal import Databases
internal import GRDB

/// Everything in a library at one moment, read in one transaction.
public struct LibraryContents: Sendable, Equatable {
  /// By position, then id.
  public var categories: [Category]
  /// By id.
  public var photos: [Photo]
  /// The app's settings.
  public var settings: Settings
  /// What a person moved or removed, oldest first.
  package var movements: [Movement] = []

  /// Makes contents of these parts.
  public init(categories: [Category], photos: [Photo], settings: Settings) {
    self.categories = categories
    self.photos = photos
    self.settings = settings
  }

  init(_ database: Database) throws {
    categories = try Self.categories(database)
    photos = try Photo.fetchAll(
      database, sql: "SELECT \(Photo.columns) FROM photo ORDER BY id",
      expecting: database.rowCount(of: "photo"))
    guard let settings = try Settings.fetchOne(database, sql: "SELECT * FROM settings") else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the settings record is missing")
    }
    self.settings = settings
    movements = try Movement.fetchAll(database)
    if let index = photos.indices.dropFirst().first(where: { photos[$0 - 1].id >= photos[$0].id }) {
      throw Self.duplicate("photo", photos[index].id, "id")
    }
    let ids = Set(categories.map(\.id))
    if let photo = photos.first(where: { !ids.contains($0.categoryId) }) {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT,
        message: "photo \(photo.id): the category \(photo.categoryId) does not exist")
    }
  }

  static func categories(_ database: Database) throws -> [Category] {
    // SQLite would sort all rows before the first one is checked, and write those of a forged tree to the disk
    let categories = try Category.fetchAll(database, sql: "SELECT * FROM category ORDER BY id")
      .sorted { ($0.position, $0.id) < ($1.position, $1.id) }
    // SQLite compares bytes, so that names in two normal forms differ
    var (ids, names) = (Set<Int64>(), Set<String>())
    for category in categories {
      if !ids.insert(category.id).inserted { throw duplicate("category", category.id, "id") }
      if !names.insert(category.name).inserted { throw duplicate("category", category.id, "name") }
    }
    return categories
  }

  private static func duplicate(_ table: String, _ id: Int64, _ column: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(table) \(id): another row has the same \(column)")
  }
}
