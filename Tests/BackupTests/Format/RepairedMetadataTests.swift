import Foundation
import TestSupport
import Testing

@testable import Backup

/// Documents whose rows contradict each other, or lack something: what is made of them.
@Suite struct RepairedMetadataTests {
  private static let category = MetadataFaultTests.category
  private static let photo = MetadataFaultTests.photo
  private static let entry = MetadataFaultTests.entry

  private static func reading(
    categories: String = category, photos: String = "", manifest: String = "", more: String = "",
    container: OpenedBackup.Format = .zip
  ) throws -> MetadataReading {
    let text = MetadataFaultTests.document(
      categories: categories, photos: photos, manifest: manifest, more: more)
    var reading = try MetadataReading(json: Array(text.utf8), container: container)
    reading.repairSeconds()
    return reading
  }

  // MARK: Rows that lack something

  /// What is reported, and a document that lacks something.
  static let gaps: [(report: String, json: String)] = [
    (
      "photos[0] has no categoryId; the row was left out",
      MetadataFaultTests.document(photos: photo.replacing(#""categoryId": 1, "#, with: ""))
    ),
    (
      "photos[1] has no id; the row was left out",
      MetadataFaultTests.document(photos: photo + ", " + photo.replacing(#""id": 1, "#, with: ""))
    ),
    (
      "categories[1] has no position; the row was left out",
      MetadataFaultTests.document(
        categories: "\(category), \(category.replacing(#""position": 0, "#, with: ""))")
    ),
    (
      "photoManifest[0] has no fileName; the row was left out",
      MetadataFaultTests.document(manifest: entry.replacing(#""fileName": "a", "#, with: ""))
    ),
    ("the backup has no list categories", #"{"photos": []}"#),
    ("the backup has no list photos", #"{"categories": [\#(category)]}"#),
  ]

  @Test("Metadata: a row that lacks a property is left out and reported", arguments: gaps)
  func gap(_ report: String, _ json: String) async throws {
    let reading = try MetadataReading(json: Array(json.utf8))
    #expect(reading.leftOut.map(\.message) == [report])
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    let summary = try await library.importing(try scratch.write(Array(json.utf8), to: "gap.json"))
    #expect(summary.isIncomplete)
    #expect(try library.contents.categories.count == (report.hasSuffix("categories") ? 0 : 1))
  }

  @Test("Metadata: replace refuses a backup with a row that was left out")
  func replaceWithGap() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    let backup = try scratch.write(Array(Self.gaps[0].json.utf8), to: "gap.json")
    await #expect(throws: BackupError.self) {
      try await library.importing(backup) { $0.strategy = .replace }
    }
  }

  @Test("Metadata: null is as good as missing for what may be missing")
  func null() throws {
    let more = """
      , "exportDate": null, "photoManifest": null, "settings": {"isDarkMode": null, "securitySettings": null},
      "smilepile": null
      """
    let text = #"{"categories": [\#(Self.category)], "photos": [] \#(more)}"#
      .replacing(#""photoManifest": null, "#, with: "")
    let reading = try MetadataReading(json: Array(text.utf8))
    #expect(reading.warnings == [])
    #expect(reading.leftOut == [])
    #expect(reading.metadata.settings == Metadata.SettingsRecord())
  }

  @Test(
    "Metadata: a backup without a version has that of its container",
    arguments: [
      (OpenedBackup.Format.json, 1), (.zip, 2),
    ])
  func noVersion(_ container: OpenedBackup.Format, _ version: Int) throws {
    let reading = try Self.reading(container: container)
    #expect(reading.metadata.version == version)
    #expect(reading.warnings == [])
    let odd = try Self.reading(more: #", "version": 0"#, container: container)
    #expect(odd.metadata.version == version)
    #expect(odd.warnings == ["version 0 does not exist; read as version \(version)"])
  }

  // MARK: Categories

  @Test("Metadata: photos of an id that several categories have go to the first")
  func sameCategoryID() throws {
    let other = Self.category.replacing(#""a""#, with: #""b""#)
    let reading = try Self.reading(categories: "\(Self.category), \(other), \(other)", photos: Self.photo)
    #expect(reading.metadata.categories.map(\.name) == ["a", "b", "b"])
    #expect(Set(reading.metadata.categories.map(\.id)).count == 3)
    #expect(reading.metadata.photos.map(\.categoryId) == [reading.metadata.categories[0].id])
    #expect(reading.warnings == ["3 categories have the id 1; its photos go to “A”"])
    #expect(reading.leftOut == [])
  }

  @Test(
    "Metadata: photos of an id that no category has go to a category named after it",
    arguments: [
      0, -7, 2, Int64.max, Int64.min,
    ])
  func unlistedCategory(_ id: Int64) throws {
    let photo = Self.photo.replacing(#""categoryId": 1"#, with: #""categoryId": \#(id)"#)
    let reading = try Self.reading(photos: photo)
    let added = try #require(reading.metadata.categories.last)
    #expect(added.id == id)
    #expect(added.displayName == "Category \(id)")
    #expect(added.name == "unlisted \(id)")
    #expect(
      reading.warnings == ["the backup does not list category \(id); 1 photo of it goes to “Category \(id)”"])
  }

  // MARK: Photos

  private static func row(_ id: Int, _ path: String, name: String = "n") -> String {
    photo.replacing(#""id": 1"#, with: #""id": \#(id)"#).replacing(#""p""#, with: "\"\(path)\"")
      .replacing(#""n""#, with: "\"\(name)\"")
  }

  private static func file(_ id: Int, _ path: String, _ name: String) -> String {
    entry.replacing(#""photoId": 1"#, with: #""photoId": \#(id)"#).replacing(#""p""#, with: "\"\(path)\"")
      .replacing("photos/a", with: "photos/\(name)").replacing(#""a""#, with: "\"\(name)\"")
  }

  /// The paths of photos with the names of the files that they are joined with.
  private static func joined(_ metadata: Metadata) -> [String] {
    metadata.photos.map { photo in
      let files = metadata.photoManifest.filter { $0.photoId == photo.id }.map(\.fileName)
      return "\(photo.path): \(files.joined(separator: " "))"
    }
  }

  /// Rows and files of the manifest, and what becomes of them.
  static let ambiguous: [(rows: [String], files: [String], joined: [String], warnings: Int, leftOut: Int)] = [
    // the hash of two paths is the same
    ([row(1, "p"), row(1, "q")], [file(1, "p", "a"), file(1, "q", "b")], ["p: a", "q: b"], 1, 0),
    ([row(1, "p"), row(1, "q")], [file(1, "q", "b"), file(1, "p", "a")], ["p: a", "q: b"], 1, 0),
    ([row(1, "p"), row(1, "q")], [file(1, "q", "b")], ["p: ", "q: b"], 1, 0),
    // a manifest that says other paths
    ([row(1, "p"), row(1, "q")], [file(1, "x", "a"), file(1, "y", "b")], ["p: a", "q: b"], 1, 0),
    // the same photo twice
    ([row(1, "p"), row(1, "p")], [file(1, "p", "a")], ["p: a"], 1, 0),
    ([row(1, "p"), row(1, "p")], [file(1, "p", "a"), file(1, "p", "a")], ["p: a"], 1, 0),
    ([row(1, "p"), row(1, "p", name: "m")], [file(1, "p", "a")], ["p: a"], 0, 1),
    // two files are two photos
    ([row(1, "p"), row(1, "p")], [file(1, "p", "a"), file(1, "p", "b")], ["p: a", "p: b"], 1, 0),
    ([row(1, "p")], [file(1, "p", "a"), file(1, "p", "b")], ["p: a", "p: b"], 1, 0),
    ([row(1, "p")], [file(1, "p", "a"), file(1, "x", "b")], ["p: a", "p: b"], 1, 0),
    // new ids are none that another photo has
    (
      [row(1, "p"), row(1, "q"), row(2, "r")], [file(1, "p", "a"), file(1, "q", "b"), file(2, "r", "c")],
      ["p: a", "q: b", "r: c"], 1, 0
    ),
  ]

  @Test("Metadata: photos that share an id are told apart by their paths", arguments: ambiguous.indices)
  func samePhotoID(_ index: Int) throws {
    let test = Self.ambiguous[index]
    let reading = try Self.reading(
      photos: test.rows.joined(separator: ","), manifest: test.files.joined(separator: ","))
    #expect(Self.joined(reading.metadata) == test.joined)
    #expect(Set(reading.metadata.photos.map(\.id)).count == test.joined.count)
    #expect(reading.warnings.count == test.warnings)
    #expect(reading.leftOut.count == test.leftOut)
    // what was repaired needs no repair when it is written and read again
    let again = try MetadataReading(json: reading.metadata.json())
    #expect(again.metadata == reading.metadata)
    #expect(again.warnings == [])
  }

  @Test("Metadata: what a warning quotes is safe to print")
  func quoted() throws {
    let hostile = Self.category.replacing(#""A""#, with: #""\u001B[2J\u202E""#)
    let reading = try Self.reading(categories: "\(hostile), \(hostile)")
    let scalars = reading.warnings.joined().unicodeScalars
    #expect(!reading.warnings.isEmpty)
    #expect(!scalars.contains("\u{1B}"))
    #expect(!scalars.contains("\u{202E}"))
  }

  // MARK: Dates

  @Test(
    "Metadata: an iOS photo's date in seconds is read as such",
    arguments: [
      (1_700_000_000, 1_700_000_000_000), (1, 1000), (1_791_000_000, 1_791_000_000_000),
      // a scanned photo of 1972, in milliseconds
      (63_072_000_000, 63_072_000_000), (1_792_000_000, 1_792_000_000), (0, 0), (-5, -5),
    ] as [(Int64, Int64)])
  func seconds(_ written: Int64, _ read: Int64) throws {
    let photo = Self.photo.replacing(#""createdAt": 5"#, with: #""createdAt": \#(written)"#)
    let settings = #", "version": 2, "settings": {"isDarkMode": true}"#
    let reading = try Self.reading(photos: photo, more: settings + #", "exportDate": 1760000000000"#)
    #expect(reading.metadata.photos.map(\.createdAt) == [read])
    #expect(reading.warnings.count == (written == read ? 0 : 1))
    // where the whole backup is in seconds, or another program made it, nothing tells that they are seconds
    let other = try Self.reading(photos: photo, more: settings + #", "exportDate": 1760000000"#)
    #expect(other.metadata.photos.map(\.createdAt) == [written])
    let android = try Self.reading(photos: photo, more: #", "exportDate": 1760000000000"#)
    #expect(android.metadata.photos.map(\.createdAt) == [written])
  }

  // MARK: Names for Android

  /// What is shown, the own name, and the name that is written; nil where none helps.
  static let names: [(shown: String, own: String, written: String?)] = [
    ("Family", "family", "family"), ("My Cars", "my_cars", "my_cars"), ("My Cars", "cars", "my_cars"),
    ("Category 7", "unlisted 7", "category_7"),
    ("cars", "cars", "cars"), ("MY cars", "my_cars", "my_cars"), ("été", "été", nil), ("Été", "été", "été"),
    ("Mon été", "mon_été", "Mon été"), ("IMG_dump", "img_dump", nil), ("a  b", "a__b", "a__b"),
    ("ÉTÉ", "été", "ÉTÉ"), ("Плюшки", "плюшки", "плюшки"), ("🍪 x", "🍪_x", "🍪_x"), ("", "", ""),
  ]

  @Test("Metadata: a category is written under a name by which Android finds it", arguments: names)
  func androidName(_ shown: String, _ own: String, _ written: String?) throws {
    let category = Metadata.CategoryRecord(
      id: 1, name: own, displayName: shown, position: 0, createdAt: 5)
    let names = AndroidCategoryNames([category])
    #expect(names.names == [written ?? own])
    #expect(names.unfindable == (written == nil ? [0] : []))
    var metadata = Metadata()
    metadata.categories = [category]
    #expect(try Metadata(json: metadata.json()) == metadata)
  }

  @Test("Metadata: no two categories are written under one name")
  func distinctNames() {
    let categories = [("my_cars", "Trucks"), ("cars", "My Cars"), ("x", "my cars")].enumerated().map {
      Metadata.CategoryRecord(
        id: Int64($0), name: $1.0, displayName: $1.1, position: 0, createdAt: 5)
    }
    let names = AndroidCategoryNames(categories)
    #expect(Set(names.names).count == 3)
    // two that Android shows alike are one to it
    #expect(names.unfindable.contains(2))
    #expect(!names.unfindable.contains(0))
  }

  // MARK: Many rows

  private static let many = 50_000

  @Test(
    "Metadata: 50,000 rows and files of one ID are joined without comparing each with each",
    arguments: [true, false])
  func manyOfOneID(_ hasOnePath: Bool) throws {
    // as text: replacing parts of so many rows takes longer than reading them
    let rows = (0..<Self.many).map { number in
      let path = hasOnePath ? "p" : "p\(number)"
      return #"{"id": 1, "path": "\#(path)", "categoryId": 1, "name": "n", "createdAt": 5}"#
    }
    let files = (0..<Self.many).map { number in
      let path = hasOnePath ? "p" : "x\(number)"
      return #"{"photoId": 1, "originalPath": "\#(path)", "zipEntryName": "photos/f\#(number)", "#
        + #""fileName": "f\#(number)", "fileSize": 0}"#
    }
    let start = ProcessorTime.ofThread
    let reading = try Self.reading(
      photos: rows.joined(separator: ","), manifest: files.joined(separator: ","))
    #expect(ProcessorTime.ofThread - start < .seconds(60))
    let ids = Set(reading.metadata.photos.map(\.id))
    #expect(ids.count == Self.many)
    #expect(Set(reading.metadata.photoManifest.map(\.photoId)) == ids)
    #expect(Set(reading.metadata.photoManifest.map(\.fileName)).count == Self.many)
    #expect(reading.leftOut == [])
  }

  @Test("Metadata: 50,000 rows without a date are reported without reading the document again for each")
  func manyGaps() throws {
    let row = Self.photo.replacing(#", "createdAt": 5"#, with: "")
    let rows = Array(repeating: row, count: Self.many)
    let start = ProcessorTime.ofThread
    let reading = try Self.reading(photos: rows.joined(separator: ","))
    #expect(ProcessorTime.ofThread - start < .seconds(60))
    #expect(reading.leftOut.count == Self.many)
    let last = try #require(reading.leftOut.last?.message)
    #expect(last.contains("photos[49999]"))
    #expect(last.contains("createdAt"))
    #expect(reading.metadata.photos == [])
  }
}
