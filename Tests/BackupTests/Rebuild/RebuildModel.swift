import Checksums
import Foundation
import PhotoLibrary
import SystemPackage
import TestSupport

@testable import Backup

/// What a rebuild must give, computed without the code under test: from the library at the time of its archive, and from the
/// files that lie below `photos`.
struct RebuildModel {
  /// A photo without its path, which depends on the order of equal photos.
  struct Row: Hashable {
    let id: Int64
    let category: String
    let name: String
    let date: Timestamp
    let isFavorite: Bool?
    /// The bytes; nil for an asset.
    let bytes: [UInt8]?
    /// The path of an asset.
    let assetPath: String?
  }

  /// The rows, those of the archive first.
  private(set) var rows: Set<Row> = []
  /// The displayed names of the categories.
  private(set) var categories: [String: String] = [:]
  /// The bytes of the files that no row has.
  private(set) var found: [[UInt8]: Int] = [:]
  private(set) var theme: Settings.ThemeMode?

  /// Describes a library without rows.
  init() {}

  /// Describes a library as it is.
  init(_ library: SampleLibrary) throws {
    let contents = try library.contents
    let bytes = try library.bytesOfPhotos()
    let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
    rows = Set(
      contents.photos.map { photo in
        Row(
          id: photo.id, category: names[photo.categoryId] ?? "", name: photo.name, date: photo.createdAt,
          isFavorite: photo.isFavorite, bytes: bytes[photo.id],
          assetPath: photo.isFromAssets ? photo.path : nil)
      })
    categories = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.name, $0.displayName) })
    theme = contents.settings.theme?.value
  }

  /// Adds the files that belong to no row.
  ///
  /// - Parameter files: the bytes of the files below `photos`, each as often as it occurs.
  mutating func addFiles(_ files: [[UInt8]]) {
    var left = Dictionary(files.map { ($0, 1) }, uniquingKeysWith: +)
    for row in rows {
      guard let bytes = row.bytes, let count = left[bytes] else { continue }
      left[bytes] = count > 1 ? count - 1 : nil
    }
    found = left
    if !left.isEmpty { categories["found again"] = "Found again" }
  }

  /// Returns true if the archive seems to be of another library than these files: less than half of them are those of its
  /// photos, and less than half of its photos are among them.
  func isStrange(to files: [[UInt8]]) -> Bool {
    let photos = rows.count { $0.bytes != nil }
    let common = files.count - found.values.reduce(0, +)
    return common * 2 < min(files.count, photos)
  }

  /// Returns how a rebuilt library differs from the model; empty if it is equal.
  func differences(_ library: SampleLibrary) throws -> [String] {
    let actual = try RebuildModel(library)
    var differences: [String] = []
    let own = actual.rows.filter { $0.category != "found again" }
    for row in rows.subtracting(own) {
      differences.append("missing: \(row.id) \(row.name) in \(row.category)")
    }
    for row in own.subtracting(rows) { differences.append("wrong: \(row.id) \(row.name) in \(row.category)") }
    let again = actual.rows.filter { $0.category == "found again" }.compactMap(\.bytes)
    if Dictionary(again.map { ($0, 1) }, uniquingKeysWith: +) != found {
      differences.append("found again: \(again.count), expected \(found.values.reduce(0, +))")
    }
    if actual.categories != categories { differences.append("\(actual.categories), expected \(categories)") }
    if actual.theme != theme { differences.append("theme \(String(describing: actual.theme))") }
    return differences
  }
}
