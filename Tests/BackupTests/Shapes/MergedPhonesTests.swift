import Foundation
import TestSupport
import Testing

@testable import Backup

/// Imports random backups of two and three phones with common photos into one library.
@Suite struct MergedPhonesTests {
  typealias Oracle = UnlistedOracle<[UInt8]>

  private static let seeds: [(seed: UInt64, phones: Int)] =
    (0..<8).map { ($0, 2) } + (100..<104).map { ($0, 3) }

  @Test("Merged phones: no photo is missing or duplicated, in any order of the backups", arguments: seeds)
  func merging(_ seed: UInt64, _ phones: Int) async throws {
    var random = SeededNumbers(seed: seed)
    let scratch = ScratchFolder()
    let backups = (0..<phones).map { _ in RandomPhone.backup(&random) }
    let files = try backups.enumerated().map { index, backup in
      try scratch.write(backup.bytes, to: "\(index).zip")
    }
    let expected = Oracle(backups.map { Self.rows($0.taken) }).counts
    let favorites = Set(backups.flatMap { $0.taken.photos.filter(\.isFavorite).compactMap(\.bytes) })
    let orders = phones == 2 ? [[0, 1], [1, 0]] : [[0, 1, 2], [2, 1, 0], [1, 2, 0]]
    for order in orders {
      let library = try SampleLibrary()
      for index in order { try await library.importing(files[index]) }
      #expect(
        try Self.counts(library) == expected,
        "seed \(seed), order \(order) of \(backups.map(\.label))")
      #expect(try Self.favorites(library) == favorites, "seed \(seed), order \(order)")

      try library.settle()
      let tree = try library.tree
      for index in order { try await library.importing(files[index]) }
      expectNone(try library.tree.differences(from: tree))
      expectNone(try library.faults())

      let name = order.map(String.init).joined() + ".zip"
      let archive = try #require(try await library.exporting(to: scratch.path.appending("x" + name)).archive)
      let copy = try await SampleLibrary.importing([archive])
      #expect(try Self.counts(copy) == expected, "seed \(seed): the export of \(order)")
      #expect(try Self.favorites(copy) == favorites, "seed \(seed): the export of \(order)")
    }
  }

  /// The photos of a backup that have files, for the oracle.
  private static func rows(_ phone: Phone) -> [Oracle.Row] {
    let names = Dictionary(
      phone.categories.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    return phone.photos.compactMap { photo in
      guard let bytes = photo.bytes else { return nil }
      let place = names[photo.categoryId].map { Oracle.Place.listed($0) } ?? .unlisted(photo.categoryId)
      return Oracle.Row(place: place, content: bytes)
    }
  }

  /// The contents of the favorites. All duplicates of a favorite must be favorites.
  private static func favorites(_ library: SampleLibrary) throws -> Set<[UInt8]> {
    let (photos, bytes) = (try library.contents.photos, try library.bytesOfPhotos())
    let favorites = Set(photos.filter { $0.isFavorite == true }.compactMap { bytes[$0.id] })
    let others = Set(photos.filter { $0.isFavorite != true }.compactMap { bytes[$0.id] })
    try #require(favorites.isDisjoint(with: others))
    return favorites
  }

  /// How often each content is in each category.
  private static func counts(_ library: SampleLibrary) throws -> [Oracle.Shown: Int] {
    let (contents, bytes) = (try library.contents, try library.bytesOfPhotos())
    let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
    return contents.photos.reduce(into: [:]) { counts, photo in
      guard let content = bytes[photo.id] else { return }
      counts[Oracle.Shown(category: names[photo.categoryId] ?? "?", content: content), default: 0] += 1
    }
  }
}
