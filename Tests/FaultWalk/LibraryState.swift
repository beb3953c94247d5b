import Backup
import Checksums
import FileSystem
import Foundation
import GRDB
import PhotoLibrary
import SystemPackage
import TestSupport

/// The content of a library without values that differ from run to run, such as the dates of changes and new IDs. Two
/// libraries of equal state have the same photos, byte for byte, in the same categories, with the same settings.
struct LibraryState: Equatable {
  private(set) var lines: [String] = []
  /// Inconsistencies that no library may have, each as a sentence.
  private(set) var faults: [String] = []

  /// - Parameter path: a folder without a database, or with an empty one, has an empty state.
  init(of path: FilePath) throws {
    guard Scene.hasDatabase(path) else { return }
    let library = try Library(path: path)
    let contents = try library.contents()
    let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
    lines = contents.categories.map { "category \($0.name) \($0.displayName) \($0.colorHex ?? "")" }
    for photo in contents.photos {
      let md5 = photo.md5?.description ?? ""
      let isIntact = try photo.isFromAssets || library.hasIntactFile(of: photo)
      lines.append(
        "photo \(names[photo.categoryId] ?? "?")/\(photo.name) \(photo.createdAt) \(photo.fileSize) \(md5)"
          + (isIntact ? "" : " damaged"))
      if !isIntact {
        faults.append("photo \(photo.id) has no file with its bytes at \(photo.path)")
      }
    }
    let settings = contents.settings
    lines.append("settings \(settings.themeMode) \(settings.kidSafeModeEnabled)")
    lines += contents.movements.map { "movement \($0.origin ?? "-") → \($0.destination ?? "-")" }
    if try Self.hasReplacedID(path) { lines.append("another ID") }
    let (kept, lost) = try Self.replaced(path)
    lines += kept
    faults += lost
    lines.sort()
  }

  /// Returns true if an undo would give the library another ID.
  private static func hasReplacedID(_ path: FilePath) throws -> Bool {
    var configuration = Configuration()
    configuration.readonly = true
    let database = try DatabaseQueue(
      path: path.appending("library.sqlite").string, configuration: configuration)
    return try database.read { database in
      try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (
            SELECT * FROM replacedIdentity
            WHERE changeId = (SELECT id FROM change WHERE kind NOT IN ('add', 'undo') ORDER BY rowid DESC LIMIT 1))
          """)
    } ?? false
  }

  /// Returns the photos that the last change keeps for its undo, and those whose files are missing. Photos of earlier
  /// changes are ignored, since the library deletes them.
  private static func replaced(_ path: FilePath) throws -> (kept: [String], lost: [String]) {
    var configuration = Configuration()
    configuration.readonly = true
    let database = try DatabaseQueue(
      path: path.appending("library.sqlite").string, configuration: configuration)
    let rows = try database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT changeId, id, path, hex(md5) AS md5,
            EXISTS (
              SELECT * FROM photo WHERE photo.id = replacedPhoto.id AND photo.md5 = replacedPhoto.md5
            ) AS isHeld
          FROM replacedPhoto
          WHERE NOT isFromAssets
            AND changeId = (SELECT id FROM change WHERE kind NOT IN ('add', 'undo') ORDER BY rowid DESC LIMIT 1)
          """)
    }
    var (kept, lost): ([String], [String]) = ([], [])
    for row in rows {
      let (change, id, place, md5): (String, Int64, String, String) = (
        row["changeId"], row["id"], row["path"], row["md5"]
      )
      // a replace imports a photo again if a fault prevented the reading of its file: the photos are the same then
      if !row["isHeld"] { kept.append("replaced \(md5)") }
      let places = [
        path.appending(FilePath(place).components),
        path.appending(".undo").appending(change).appending("\(id)"),
      ]
      let exists = places.contains { place in
        guard let bytes = FileManager.default.contents(atPath: place.string) else { return false }
        return MD5Digest(of: Array(bytes)).description.uppercased() == md5
      }
      if !exists { lost.append("the replaced photo \(id) of \(place) is gone") }
    }
    return (kept, lost)
  }

  static func == (one: LibraryState, other: LibraryState) -> Bool { one.lines == other.lines }

  /// Describes the differences of two states for a message.
  func difference(from other: LibraryState) -> String {
    let (own, others) = (Set(lines), Set(other.lines))
    return "only here: \(own.subtracting(others).sorted()); only there: \(others.subtracting(own).sorted())"
  }
}
