import Foundation
import Gallery
import Operations
import PhotoLibrary
import Pictures
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// `export --split` writes several archives within the limits. They restore the library in any order.
@Suite struct SplitTests {
  private let scratch = ScratchFolder()

  /// A library with photos of several sizes, duplicates in the same and in other categories, assets, and settings.
  static func library(_ seed: UInt64, photos count: Int = 24) throws -> SampleLibrary {
    var random = SeededNumbers(seed: seed)
    var members: [SampleLibrary.Member] = []
    for id in 1...Int64(count) {
      let content = UInt8.random(in: 0..<UInt8(count), using: &random)
      let size = Int(content) * 37 % 900 + (content % 5 == 0 ? 1500 : 0)
      if content == 7 {
        members.append(.init(asset: "sample/\(id % 2).png", id: id * 3 + 1, category: id % 3 + 1))
      } else {
        members.append(
          .init(
            id: id * 3, category: Int64.random(in: 1...3, using: &random), name: "n\(content)",
            fileName: "IMG_\(content).jpg", createdAt: 1_700_000_000_000 + id,
            bytes: Array(repeating: content, count: size)))
      }
    }
    var settings = Settings(createdAt: 5)
    settings.theme = .init(.dark, asOf: 1_700_000_000_000)
    settings.pin = .init(true, asOf: 1_700_000_000_000)
    let categories: [PhotoLibrary.Category] = [
      .sample(1, "family"), .sample(2, "cars", color: "#4CAF50"), .sample(3, "плюшки"), .sample(4, "empty"),
    ]
    return try SampleLibrary(members, categories: categories, settings: settings)
  }

  static func limits(entries: Int = 10_000, bytes: Int = 1 << 30, archive: Int = 1 << 30) -> PhoneLimits {
    var limits = PhoneLimits()
    (limits.entries, limits.uncompressedBytes, limits.archiveBytes) = (entries, bytes, archive)
    return limits
  }

  private func split(
    _ library: SampleLibrary, _ limits: PhoneLimits, configure: (inout ExportOptions) -> Void = { _ in }
  ) async throws -> (ExportSummary, [WrittenBackup]) {
    let summary = try await library.exporting(to: scratch.path) {
      $0.phoneLimits = limits
      configure(&$0)
    }
    return (summary, try summary.archives.map { try WrittenBackup($0) })
  }

  @Test("Split export: the parts restore the library in any order", arguments: 0..<6)
  func importOrder(_ seed: Int) async throws {
    let library = try Self.library(UInt64(seed))
    let limits = seed % 2 == 0 ? Self.limits(entries: 10) : Self.limits(bytes: 10_000)
    let (summary, parts) = try await split(library, limits) { $0.verifies = seed % 3 == 0 }
    #expect(parts.count >= 3)
    #expect(summary.phoneRefusals == [])
    #expect(!summary.isIncomplete)
    let expected = try LibraryContent(library)
    for part in parts {
      expectNone(try part.faults())
      #expect(part.names.count <= limits.entries)
      #expect(part.entries.values.reduce(0) { $0 + $1.count } <= limits.uncompressedBytes)
      #expect(part.metadata.categories.map(\.name) == expected.categories.map(\.name))
      #expect(part.metadata.smilepile?.isPartial == true)
    }
    #expect(parts.flatMap { $0.metadata.photos.map(\.id) }.sorted() == expected.photos.map(\.id))
    var random = SeededNumbers(seed: UInt64(seed))
    for order in [parts, parts.reversed(), parts.shuffled(using: &random), parts.shuffled(using: &random)] {
      let copy = try await SampleLibrary.importing(order.map(\.path))
      #expect(try LibraryContent(copy) == expected)
      expectNone(try copy.faults())
    }
    // all parts in one import, and once more
    let copy = try SampleLibrary()
    let once = try await Work.import(parts.map(\.path), into: copy.path).summary
    #expect(!once.isIncomplete)
    #expect(once.photosSkipped == 0)
    let again = try await Work.import(parts.reversed().map(\.path), into: copy.path).summary
    #expect(again.photosImported == 0)
    #expect(again.photosSkipped == expected.photos.count)
  }

  @Test("Split export: the parts have numbers, one set ID and the fingerprint of the library")
  func partNumbers() async throws {
    let library = try Self.library(1)
    let (summary, parts) = try await split(library, Self.limits(entries: 12))
    let places = parts.compactMap { $0.metadata.smilepile?.part }
    #expect(places.map(\.number) == Array(1...parts.count))
    #expect(Set(places.map(\.set)).count == 1)
    #expect(places.allSatisfy { $0.count == parts.count })
    #expect(summary.parts == parts.count)
    #expect(Set(parts.map { $0.metadata.smilepile?.uuid }).count == parts.count)
    #expect(try Library(path: library.path).lastExport()?.photos == library.contents.photos.count)
    // the fingerprint is that of a full export
    let full = try await library.exporting(to: scratch.path.appending("whole.zip"))
    let fingerprint = try WrittenBackup(try #require(full.archive)).metadata.smilepile?.fingerprint
    #expect(parts.allSatisfy { $0.metadata.smilepile?.fingerprint == fingerprint })
    let names = summary.archives.compactMap { $0.lastComponent?.string }
    #expect(names[0].hasSuffix("_1of\(parts.count).zip"))
    #expect(names[0].hasPrefix("smilepile_backup_"))
    #expect(Set(names.map { $0.prefix(32) }).count == 1)
  }

  @Test("Split export: duplicates in one category are in the same part")
  func duplicates() async throws {
    let (_, parts) = try await split(try Self.library(2, photos: 40), Self.limits(entries: 9))
    var places: [String: Int] = [:]
    for (index, part) in parts.enumerated() {
      let categories = Dictionary(uniqueKeysWithValues: part.metadata.photos.map { ($0.id, $0.categoryId) })
      for entry in part.metadata.photoManifest {
        let content = "\(entry.checksum ?? "") \(categories[entry.photoId] ?? 0)"
        #expect(places.updateValue(index, forKey: content) ?? index == index)
      }
    }
  }

  @Test("Split export: a library at a limit needs one archive, one above it needs two")
  func limitBoundaries() async throws {
    let library = try SampleLibrary(
      (1...6).map { id in
        .init(id: id, fileName: "\(id).jpg", bytes: Array(repeating: UInt8(id), count: 100_000))
      }, categories: [.sample(1, "family")])
    let (one, backups) = try await split(library, PhoneLimits())
    try #require(one.parts == 1)
    #expect(backups[0].metadata.smilepile?.part == nil)
    #expect(backups[0].metadata.smilepile?.isPartial == false)
    let bytes = backups[0].entries.values.reduce(0) { $0 + $1.count }
    // the bound of a photo's rows, the numbers of the set, and the IDs of earlier exports
    let slack = 6 * (1 << 10) + 2 * (1 << 10)
    for (limits, parts) in [
      (Self.limits(entries: 8), 1), (Self.limits(entries: 7), 2), (Self.limits(bytes: bytes + slack), 1),
      (Self.limits(bytes: bytes - 1), 2), (Self.limits(archive: one.archiveBytes - 1), 2),
    ] {
      let (summary, written) = try await split(library, limits)
      #expect(summary.parts == parts)
      #expect(summary.phoneRefusals == [])
      for backup in written { expectNone(try backup.faults()) }
    }
  }

  @Test(
    "Split export: names that metadata.json escapes do not make a part too large", arguments: [1, 60, 900])
  func escapedNames(_ length: Int) async throws {
    let name = String(repeating: "\u{1}", count: length)
    let library = try SampleLibrary(
      (1...40).map { id in
        .init(
          id: id, name: name, fileName: "\(String(repeating: "\"", count: length % 200))\(id).jpg",
          bytes: [UInt8(id)])
      }, categories: [.sample(1, "family")])
    let limit = 25_000
    let (summary, parts) = try await split(library, Self.limits(bytes: limit, archive: limit))
    #expect(parts.count > 1)
    #expect(summary.phoneRefusals == [])
    for part in parts {
      #expect(part.entries.values.reduce(0) { $0 + $1.count } <= limit)
      #expect(try Data(contentsOf: URL(fileURLWithPath: part.path.string)).count <= limit)
    }
  }

  @Test("Split export: a photo over the limit has a part of its own and is reported")
  func oversizedPhoto() async throws {
    let library = try SampleLibrary(
      [
        .init(id: 1, fileName: "a.jpg", bytes: [1]),
        .init(id: 2, name: "film", fileName: "film.gif", bytes: Array(repeating: 2, count: 20_000)),
        .init(id: 3, fileName: "c.jpg", bytes: [3]),
      ], categories: [.sample(1, "family")])
    let (summary, parts) = try await split(library, Self.limits(bytes: 10_000))
    #expect(parts.map { $0.metadata.photos.map(\.id) } == [[1, 3], [2]])
    try #require(summary.phoneRefusals.count == 1)
    #expect(
      summary.phoneRefusals[0].contains("photo 2 “film” in “Family”"))
    #expect(summary.phoneRefusals[0].contains("part 2 of 2"))
    let copy = try await SampleLibrary.importing(summary.archives.reversed())
    #expect(try LibraryContent(copy) == LibraryContent(library))
  }

  @Test("Split export: existing files are not overwritten")
  func existingNames() async throws {
    let library = try Self.library(3)
    let limits = Self.limits(entries: 9)
    let count = try await library.exporting(to: scratch.path) {
      $0.phoneLimits = limits
      $0.isDryRun = true
    }.parts
    let taken = try scratch.write([1], to: "one_2of\(count).zip")
    await #expect {
      _ = try await library.exporting(to: scratch.path.appending("one.zip")) { $0.phoneLimits = limits }
    } throws: {
      if case BackupError.destinationExists = $0 { true } else { false }
    }
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: taken.string))) == [1])
    #expect(try FolderTree(scratch.path).fileNames == ["one_2of\(count).zip"])
    // two exports within one second
    let (first, _) = try await split(library, limits)
    let (second, _) = try await split(library, limits)
    #expect(Set(first.archives).isDisjoint(with: second.archives))
    #expect(second.archives.count == count)
  }

  @Test("Split export: a cancelled export leaves no part")
  func cancellation() async throws {
    let library = try Self.library(4)
    var options = ExportOptions()
    options.phoneLimits = Self.limits(entries: 9)
    let work = Work.export(library.path, to: scratch.path, options: options)
    work.cancel()
    if (try? await work.summary) == nil { #expect(try FolderTree(scratch.path).fileNames == []) }
  }

  @Test("Split export: a photo whose file is missing keeps its row in one part")
  func missingFile() async throws {
    let library = try Self.library(5)
    let lost = try #require(try library.contents.photos.first { !$0.isFromAssets && $0.fileSize > 0 })
    try FileManager.default.removeItem(atPath: library.file(of: lost).string)
    let (summary, parts) = try await split(library, Self.limits(entries: 9))
    #expect(summary.missing.count == 1)
    #expect(summary.isIncomplete)
    #expect(parts.count { $0.metadata.photos.contains { $0.id == lost.id } } == 1)
  }

  @Test("Split export: a selected category is split")
  func singleCategory() async throws {
    let library = try Self.library(6, photos: 60)
    let (_, parts) = try await split(library, Self.limits(entries: 9)) { $0.categories = ["cars"] }
    #expect(parts.count > 1)
    #expect(parts.allSatisfy { $0.metadata.categories.map(\.name) == ["cars"] })
  }

  @Test(
    "Split export: encryption, JSON and incremental backups are refused",
    arguments: ["encrypted", "json", "incremental"])
  func unsupportedOptions(_ what: String) async throws {
    let library = try Self.library(7)
    await #expect {
      _ = try await library.exporting(to: scratch.path) {
        $0.phoneLimits = PhoneLimits()
        switch what {
        case "encrypted": $0.password = "a long enough password"
        case "json": $0.format = .json
        default: $0.isIncremental = true
        }
      }
    } throws: {
      if case BackupError.cannotSplit = $0 { true } else { false }
    }
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  @Test("Split export: a dry run counts the parts and writes nothing")
  func dryRun() async throws {
    let library = try Self.library(8)
    let dry = try await library.exporting(to: scratch.path) {
      $0.phoneLimits = Self.limits(entries: 9)
      $0.isDryRun = true
    }
    #expect(dry.archives == [])
    #expect(try FolderTree(scratch.path).files.isEmpty)
    let (real, _) = try await split(library, Self.limits(entries: 9))
    #expect(dry.parts == real.parts)
    #expect(dry.photos == real.photos)
  }

  @Test(
    "Split export: thumbnails and the pages of a gallery count as entries and bytes",
    arguments: [false, true])
  func derivedEntries(hasGallery: Bool) throws {
    let photos = (1...Int64(60)).map { id in
      var photo = SampleLibrary.Member(id: id, fileName: "\(id).jpg", bytes: [UInt8(id)]).photo
      photo.fileSize = 1000
      return photo
    }
    let contents = LibraryContents(
      categories: [.sample(1, "family"), .sample(2, "cars")], photos: photos, settings: Settings(createdAt: 0)
    )
    let sizes = Dictionary(
      uniqueKeysWithValues: try photos.map { photo in
        let md5 = try #require(photo.md5)
        return (FileContent(md5: md5, size: 1000), PictureSize(width: 300, height: 200, bytes: 5000))
      })
    var options = ExportOptions()
    if hasGallery { options.gallery = Gallery.Style() }
    let plan = try ExportPlan(contents, options, thumbnails: sizes) {
      $0.map { .success(.init(size: 1000, modified: $0.createdAt)) }
    }
    var limits = PhoneLimits()
    limits.entries = 32
    let parts = SplitPlan(plan, limits, set: UUID()).parts
    #expect(parts.map(\.items.count) == (hasGallery ? [12, 12, 12, 12, 12] : [15, 15, 15, 15]))
    for part in parts {
      let entries = DerivedEntries(part, nil, date: 0).entries.count + part.items.count + 2
      #expect(entries <= limits.entries)
    }
    limits = PhoneLimits()
    limits.uncompressedBytes = hasGallery ? 250_000 : 150_000
    for part in SplitPlan(plan, limits, set: UUID()).parts {
      let pages = part.gallery.map { style in
        part.gallery(style, date: 0).pages.reduce(0) { $0 + $1.render().utf8.count }
      }
      #expect(part.items.count * 6000 + (pages ?? 0) <= limits.uncompressedBytes)
    }
  }

  /// The apps refuse more than 10,000 entries, and count the two texts.
  @Test("Split export: the limit of 10,000 entries includes metadata and checksums")
  func entryLimit() throws {
    let photos = (1...Int64(10_000)).map { id in
      SampleLibrary.Member(id: id, fileName: "\(id).jpg", bytes: []).photo
    }
    // duplicates would be in one part, so each photo has its own size
    let distinct = photos.map { photo in
      var photo = photo
      photo.fileSize = Int(photo.id)
      return photo
    }
    for (count, parts) in [(9_998, [9_998]), (9_999, [9_998, 1])] {
      let contents = LibraryContents(
        categories: [.sample(1, "family")], photos: Array(distinct.prefix(count)),
        settings: Settings(createdAt: 0))
      let plan = try ExportPlan(contents, ExportOptions()) {
        $0.map { .success(.init(size: $0.fileSize, modified: $0.createdAt)) }
      }
      #expect(SplitPlan(plan, PhoneLimits(), set: UUID()).parts.map(\.items.count) == parts)
    }
  }
}
