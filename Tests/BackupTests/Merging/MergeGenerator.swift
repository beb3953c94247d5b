import Checksums
import Foundation
import PhotoLibrary
import TestSupport

@testable import Backup

/// A library and backups to import into it.
struct MergeCase: Sendable {
  /// The seed that makes the same case again.
  var seed: Int
  var library: LibraryContents
  var backups: [OpenedBackup]
  /// The first of the backups.
  var backup: OpenedBackup { backups[0] }

  /// Cases whose backups have a file for every photo with an MD5.
  static let intact = Result { try make(damage: false) }
  /// Cases whose backups have photos with an MD5 and without a file.
  static let damaged = Result { try make(damage: true) }

  private static func make(damage: Bool) throws -> [MergeCase] {
    try (0..<300).map { seed in
      var generator = MergeGenerator(seed: seed)
      generator.makesDamage = damage
      let library = try generator.library()
      return MergeCase(seed: seed, library: library, backups: try (0..<3).map { _ in try generator.backup() })
    }
  }

  /// The other orders of the three backups.
  static let otherOrders = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
}

/// Makes backups and libraries from small alphabets, so that equal contents, names, IDs and categories are
/// frequent. The same seed makes the same backups and libraries.
struct MergeGenerator {
  var random: SeededNumbers
  /// True to make some photos with an MD5 and without a file.
  var makesDamage = false

  /// The MD5 and the size of each content. The first content is empty.
  static let contents: [(md5: MD5Digest, size: Int)] = ["", "a", "b", "cc", "dd"].map {
    (MD5Digest(of: Array($0.utf8)), $0.utf8.count)
  }
  private static let categoryNames = ["family", "caf\u{E9}", "cafe\u{301}", "плюшки", "Family"]
  private static let displayNames = ["Family", "Caf\u{E9}", "Cafe\u{301}", ""]
  private static let photoNames = ["IMG_1", "\u{E9}", "e\u{301}", "x"]
  private static let ids: [Int64] = [1, 2, 3, 4, 5, 6, 7, 8, 9, -3, 0, 1 << 53, 1 << 53 + 1, .max, .min]
  private static let dates: [Timestamp] = [1000, 2000, 3000]

  init(seed: Int) { random = SeededNumbers(seed: UInt64(seed)) }

  /// A backup of up to seven photos, with one of three dates or without a date.
  mutating func backup() throws -> OpenedBackup {
    var metadata = Metadata()
    metadata.exportDate = maybe { $0.pick(Self.dates) }
    metadata.categories = distinctIds(1...4).map { category($0) }
    metadata.settings = maybe(0.8) { $0.settings() }
    metadata.smilepile = maybe(0.3) {
      Metadata.Provenance(uuid: "", isPartial: false, includesSettings: $0.chance(0.7))
    }
    var photos: [OpenedBackup.Photo] = []
    for id in distinctIds(0...7) {
      let (record, content) = photo(id, in: pick(metadata.categories).id)
      metadata.photos.append(record)
      photos.append(OpenedBackup.Photo(record: record, originalPath: record.path, location: content))
    }
    return try OpenedBackup.sample(metadata, photos: photos)
  }

  /// A library after the import of up to two backups.
  mutating func library() throws -> LibraryContents {
    var library = LibraryContents.empty
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      library = library.importing(try backup(), pick([.merge, .replace]), pick([.skip, .rename]))
    }
    return library
  }

  private mutating func category(_ id: Int64) -> Metadata.CategoryRecord {
    let isFirst = chance(0.7)
    return Metadata.CategoryRecord(
      id: id, name: pick(Self.categoryNames), displayName: pick(Self.displayNames), position: isFirst ? 0 : 1,
      iconResource: isFirst ? nil : "cake", colorHex: isFirst ? "#4CAF50" : nil, isDefault: isFirst,
      createdAt: isFirst ? -1 : 5, valuesAsOf: maybe(0.3) { $0.pick(Self.dates) })
  }

  private mutating func photo(_ id: Int64, in category: Int64) -> (Metadata.PhotoRecord, PhotoLocation) {
    let isAsset = chance(0.15)
    let path = isAsset ? pick(["sample/a.png", "sample/b.png"]) : pick(["photos/x.jpg", "/data/y.jpg"])
    let (md5, size) = pick(Self.contents)
    let isMeasured = chance(0.5)
    let record = Metadata.PhotoRecord(
      id: id, path: path, categoryId: category, name: pick(Self.photoNames), isFromAssets: isAsset,
      createdAt: pick([-5, 7]), fileSize: Int64(size), width: isMeasured ? pick([10, 20]) : 0,
      height: isMeasured ? 10 : 0)
    if isAsset { return (record, .asset) }
    if chance(0.1) { return (record, .unavailable(Unavailable(.missingBeforeBackup(isRepaired: false)))) }
    if makesDamage && chance(0.2) { return (record, .unavailable(Unavailable(.damaged("gone"), md5: md5))) }
    return (record, .file("/nowhere", size: size, md5: md5))
  }

  private mutating func settings() -> Metadata.SettingsRecord {
    Metadata.SettingsRecord(
      isDarkMode: maybe { $0.chance(0.5) },
      securitySettings: Metadata.SecurityRecord(
        hasPIN: maybe { $0.chance(0.5) }, hasPattern: maybe { $0.chance(0.5) },
        kidSafeModeEnabled: maybe { $0.chance(0.3) }, deleteProtectionEnabled: maybe { $0.chance(0.3) },
        cameraAccessAllowed: maybe { $0.chance(0.7) }),
      themeMode: pick([nil, "light", "dark", "system", "sepia"]),
      valuesAsOf: maybe(0.3) { $0.pick(Self.dates) })
  }

  private mutating func distinctIds(_ count: ClosedRange<Int>) -> ArraySlice<Int64> {
    Self.ids.shuffled(using: &random).prefix(Int.random(in: count, using: &random))
  }

  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < probability
  }

  private mutating func maybe<Value>(
    _ probability: Double = 0.7, _ make: (inout MergeGenerator) -> Value
  ) -> Value? {
    chance(probability) ? make(&self) : nil
  }
}

extension OpenedBackup {
  /// A backup with this metadata, encoded to JSON and decoded, and these photos.
  static func sample(_ metadata: Metadata, photos: [Photo]) throws -> OpenedBackup {
    try OpenedBackup(document: metadata.json(), path: "backup.json").with(photos: photos)
  }
}
