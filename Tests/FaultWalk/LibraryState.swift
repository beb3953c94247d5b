import Backup
import Checksums
import FileSystem
import Foundation
import GRDB
import PhotoLibrary
import SystemPackage
import TestSupport

/// What a library holds, without what differs from run to run (times of changes, numbers that are given out): two
/// libraries of equal state hold the same photos, byte for byte, in the same categories, with the same settings.
struct LibraryState: Equatable {
  private(set) var lines: [String] = []
  /// What should never be; each as a sentence.
  private(set) var faults: [String] = []

  /// - Parameter path: a folder without a library is a state too, an empty one.
  init(of path: FilePath) throws {
    guard FileManager.default.fileExists(atPath: path.appending("library.sqlite").string) else { return }
    let library = try Library(path: path)
    let contents = try library.contents()
    let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
    lines = contents.categories.map { "category \($0.name) \($0.displayName) \($0.colorHex ?? "")" }
    for photo in contents.photos {
      let md5 = photo.md5?.description ?? ""
      let isWhole = try photo.isFromAssets || library.holds(photo)
      lines.append(
        "photo \(names[photo.categoryId] ?? "?")/\(photo.name) \(photo.createdAt) \(photo.fileSize) \(md5)"
          + (isWhole ? "" : " damaged"))
      if !isWhole {
        faults.append("photo \(photo.id) has no file with its bytes at \(photo.path)")
      }
    }
    let settings = contents.settings
    lines.append("settings \(settings.themeMode) \(settings.kidSafeModeEnabled)")
    let (kept, lost) = try Self.replaced(path)
    lines += kept
    faults += lost
    lines.sort()
  }

  /// The photos that the last change keeps for its undo, and those of which the file is gone. Those of an earlier
  /// one are on their way out.
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
      // a replace brings a photo anew if a fault kept it from reading the file: it holds the same photos then
      if !row["isHeld"] { kept.append("replaced \(md5)") }
      let places = [
        path.appending(FilePath(place).components),
        path.appending(".undo").appending(change).appending("\(id)"),
      ]
      let isThere = places.contains { place in
        guard let bytes = FileManager.default.contents(atPath: place.string) else { return false }
        return MD5Digest(of: Array(bytes)).description.uppercased() == md5
      }
      if !isThere { lost.append("the replaced photo \(id) of \(place) is gone") }
    }
    return (kept, lost)
  }

  static func == (one: LibraryState, other: LibraryState) -> Bool { one.lines == other.lines }

  /// What one has and the other has not, for a message.
  func difference(from other: LibraryState) -> String {
    let (own, others) = (Set(lines), Set(other.lines))
    return "only here: \(own.subtracting(others).sorted()); only there: \(others.subtracting(own).sorted())"
  }
}
