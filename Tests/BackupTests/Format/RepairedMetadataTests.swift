import Foundation
import TestSupport
import Testing

@testable import Backup

/// Documents with contradictory or incomplete rows, and how the reader repairs them.
@Suite struct RepairedMetadataTests {
  private static let category = MetadataFaultTests.category
  private static let photo = MetadataFaultTests.photo
  private static let entry = MetadataFaultTests.entry

  private static func reading(
    categories: String = category, photos: String = "", manifest: String = "", more: String = "",
    container: Metadata.Container = .zip
  ) throws -> MetadataReading {
    let text = MetadataFaultTests.document(
      categories: categories, photos: photos, manifest: manifest, more: more)
    var reading = try MetadataReading(json: Array(text.utf8), container: container)
    reading.repairSeconds()
    return reading
  }

  // MARK: Incomplete rows

  /// Incomplete documents, each with the expected report.
  static let gaps: [(report: String, json: String)] = [
    (
      "photos[0] has no categoryId; the row was skipped",
      MetadataFaultTests.document(photos: photo.replacing(#""categoryId": 1, "#, with: ""))
    ),
    (
      "photos[1] has no id; the row was skipped",
      MetadataFaultTests.document(photos: photo + ", " + photo.replacing(#""id": 1, "#, with: ""))
    ),
    (
      "categories[1] has no position; the row was skipped",
      MetadataFaultTests.document(
        categories: "\(category), \(category.replacing(#""position": 0, "#, with: ""))")
    ),
    (
      "photoManifest[0] has no fileName; the row was skipped",
      MetadataFaultTests.document(manifest: entry.replacing(#""fileName": "a", "#, with: ""))
    ),
    ("the list “categories” is missing", #"{"photos": []}"#),
    ("the list “photos” is missing", #"{"categories": [\#(category)]}"#),
  ]

  @Test("Metadata: a missing list or property is reported, and the row is left out", arguments: gaps)
  func gap(_ report: String, _ json: String) async throws {
    let reading = try MetadataReading(json: Array(json.utf8))
    #expect(reading.skipped.map(\.message) == [report])
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let summary = try await library.importing(try scratch.write(json, to: "gap.json"))
    #expect(summary.isIncomplete)
    #expect(try library.contents.categories.count == (report.contains("“categories”") ? 0 : 1))
  }

  @Test("Import: replace refuses a backup with an incomplete row")
  func replaceWithGap() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let backup = try scratch.write(Array(Self.gaps[0].json.utf8), to: "gap.json")
    await #expect(throws: BackupError.self) {
      try await library.importing(backup) { $0.strategy = .replace }
    }
  }

  @Test("Metadata: null for an optional property is read as missing")
  func null() throws {
    let more = """
      , "exportDate": null, "photoManifest": null, "settings": {"isDarkMode": null, "securitySettings": null},
      "smilepile": null
      """
    let text = #"{"categories": [\#(Self.category)], "photos": [] \#(more)}"#
      .replacing(#""photoManifest": null, "#, with: "")
    let reading = try MetadataReading(json: Array(text.utf8))
    #expect(reading.warnings == [])
    #expect(reading.skipped == [])
    #expect(reading.metadata.settings == Metadata.SettingsRecord())
  }

  @Test(
    "Metadata: a missing version is derived from the container",
    arguments: [
      (Metadata.Container.json, 1), (.zip, 2),
    ])
  func missingVersion(_ container: Metadata.Container, _ version: Int) throws {
    let reading = try Self.reading(container: container)
    #expect(reading.metadata.version == version)
    #expect(reading.warnings == [])
    let odd = try Self.reading(more: #", "version": 0"#, container: container)
    #expect(odd.metadata.version == version)
    #expect(odd.warnings == ["version 0 does not exist; the backup was read as version \(version)"])
  }

  // MARK: Categories

  @Test("Metadata: if categories share an ID, its photos are assigned to the first")
  func sharedCategoryID() throws {
    let other = Self.category.replacing(#""a""#, with: #""b""#)
    let reading = try Self.reading(categories: "\(Self.category), \(other), \(other)", photos: Self.photo)
    #expect(reading.metadata.categories.map(\.name) == ["a", "b", "b"])
    #expect(Set(reading.metadata.categories.map(\.id)).count == 3)
    #expect(reading.metadata.photos.map(\.categoryId) == [reading.metadata.categories[0].id])
    #expect(reading.warnings == ["3 categories have the ID 1; their photos are imported into “A”"])
    #expect(reading.skipped == [])
  }

  @Test(
    "Metadata: for an ID that no category has, a category is added",
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
      reading.warnings == [
        "the backup does not list category \(id); its 1 photo is imported into “Category \(id)”"
      ])
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

  /// The path of each photo, with the names of its files in the manifest.
  private static func joined(_ metadata: Metadata) -> [String] {
    metadata.photos.map { photo in
      let files = metadata.photoManifest.filter { $0.photoId == photo.id }.map(\.fileName)
      return "\(photo.path): \(files.joined(separator: " "))"
    }
  }

  /// Rows and manifest files with shared IDs, and the expected result.
  static let ambiguous: [(rows: [String], files: [String], joined: [String], warnings: Int, skipped: Int)] = [
    // two paths with the same hash
    ([row(1, "p"), row(1, "q")], [file(1, "p", "a"), file(1, "q", "b")], ["p: a", "q: b"], 1, 0),
    ([row(1, "p"), row(1, "q")], [file(1, "q", "b"), file(1, "p", "a")], ["p: a", "q: b"], 1, 0),
    ([row(1, "p"), row(1, "q")], [file(1, "q", "b")], ["p: ", "q: b"], 1, 0),
    // a manifest with other paths
    ([row(1, "p"), row(1, "q")], [file(1, "x", "a"), file(1, "y", "b")], ["p: a", "q: b"], 1, 0),
    // the same photo twice
    ([row(1, "p"), row(1, "p")], [file(1, "p", "a")], ["p: a"], 1, 0),
    ([row(1, "p"), row(1, "p")], [file(1, "p", "a"), file(1, "p", "a")], ["p: a"], 1, 0),
    ([row(1, "p"), row(1, "p", name: "m")], [file(1, "p", "a")], ["p: a"], 0, 1),
    // two files are two photos
    ([row(1, "p"), row(1, "p")], [file(1, "p", "a"), file(1, "p", "b")], ["p: a", "p: b"], 1, 0),
    ([row(1, "p")], [file(1, "p", "a"), file(1, "p", "b")], ["p: a", "p: b"], 1, 0),
    ([row(1, "p")], [file(1, "p", "a"), file(1, "x", "b")], ["p: a", "p: b"], 1, 0),
    // a new ID differs from the IDs of all other photos
    (
      [row(1, "p"), row(1, "q"), row(2, "r")], [file(1, "p", "a"), file(1, "q", "b"), file(2, "r", "c")],
      ["p: a", "q: b", "r: c"], 1, 0
    ),
  ]

  @Test("Metadata: photos that share an ID are distinguished by their paths", arguments: ambiguous.indices)
  func sharedPhotoID(_ index: Int) throws {
    let test = Self.ambiguous[index]
    let reading = try Self.reading(
      photos: test.rows.joined(separator: ","), manifest: test.files.joined(separator: ","))
    #expect(Self.joined(reading.metadata) == test.joined)
    #expect(Set(reading.metadata.photos.map(\.id)).count == test.joined.count)
    #expect(reading.warnings.count == test.warnings)
    #expect(reading.skipped.count == test.skipped)
    // repaired metadata needs no repair after it is written and read again
    let again = try MetadataReading(json: reading.metadata.json())
    #expect(again.metadata == reading.metadata)
    #expect(again.warnings == [])
  }

  @Test("Metadata: a warning contains no control characters of a quoted name")
  func quotedName() throws {
    let hostile = Self.category.replacing(#""A""#, with: #""\u001B[2J\u202E""#)
    let reading = try Self.reading(categories: "\(hostile), \(hostile)")
    let scalars = reading.warnings.joined().unicodeScalars
    #expect(!reading.warnings.isEmpty)
    #expect(!scalars.contains("\u{1B}"))
    #expect(!scalars.contains("\u{202E}"))
  }

  // MARK: Dates

  @Test(
    "Metadata: the date of an iOS photo in seconds is converted to milliseconds",
    arguments: [
      (1_700_000_000, 1_700_000_000_000), (1, 1000), (1_791_000_000, 1_791_000_000_000),
      // a scanned photo of 1972, in milliseconds
      (63_072_000_000, 63_072_000_000), (1_792_000_000, 1_792_000_000), (0, 0), (-5, -5),
    ] as [(Int64, Int64)])
  func seconds(_ written: Int64, _ read: Int64) throws {
    let photo = Self.photo.replacing(#""createdAt": 5"#, with: #""createdAt": \#(written)"#)
    let settings = #", "version": 2, "settings": {"isDarkMode": true}"#
    let reading = try Self.reading(photos: photo, more: settings + #", "exportDate": 1760000000000"#)
    #expect(reading.metadata.photos.map(\.createdAt.rawValue) == [read])
    #expect(reading.warnings.count == (written == read ? 0 : 1))
    // no conversion if all dates are in seconds, or if another program wrote the backup: the unit is unknown
    let other = try Self.reading(photos: photo, more: settings + #", "exportDate": 1760000000"#)
    #expect(other.metadata.photos.map(\.createdAt.rawValue) == [written])
    let android = try Self.reading(photos: photo, more: #", "exportDate": 1760000000000"#)
    #expect(android.metadata.photos.map(\.createdAt.rawValue) == [written])
  }

  // MARK: Names for Android

  /// The display name, the own name, and the name that is written; nil if Android finds the category by no name.
  static let names: [(shown: String, own: String, written: String?)] = [
    ("Family", "family", "family"), ("My Cars", "my_cars", "my_cars"), ("My Cars", "cars", "my_cars"),
    ("Category 7", "unlisted 7", "category_7"),
    ("cars", "cars", "cars"), ("MY cars", "my_cars", "my_cars"), ("été", "été", nil), ("Été", "été", "été"),
    ("Mon été", "mon_été", "Mon été"), ("IMG_dump", "img_dump", nil), ("a  b", "a__b", "a__b"),
    ("ÉTÉ", "été", "ÉTÉ"), ("Плюшки", "плюшки", "плюшки"), ("🍪 x", "🍪_x", "🍪_x"), ("", "", ""),
  ]

  @Test("Metadata: a category is written with a name by which Android finds it", arguments: names)
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

  @Test("Metadata: every category is written with a different name")
  func distinctNames() {
    let categories = [("my_cars", "Trucks"), ("cars", "My Cars"), ("x", "my cars")].enumerated().map {
      Metadata.CategoryRecord(
        id: Int64($0), name: $1.0, displayName: $1.1, position: 0, createdAt: 5)
    }
    let names = AndroidCategoryNames(categories)
    #expect(Set(names.names).count == 3)
    // Android does not distinguish “My Cars” and “my cars”
    #expect(names.unfindable.contains(2))
    #expect(!names.unfindable.contains(0))
  }

  // MARK: Many rows

  private static let many = 50_000

  /// Comparing each row with each file would take longer.
  @Test(
    "Metadata: 50,000 rows and files that share an ID are joined within a minute",
    arguments: [true, false])
  func manySharedIDs(_ hasOnePath: Bool) throws {
    // built as text: replacing parts of so many rows takes longer than reading them
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
    #expect(reading.skipped == [])
  }

  /// Reading the document again for each row would take longer.
  @Test("Metadata: 50,000 rows without a date are counted within a minute")
  func manyIncompleteRows() throws {
    let row = Self.photo.replacing(#", "createdAt": 5"#, with: "")
    let rows = Array(repeating: row, count: Self.many)
    let start = ProcessorTime.ofThread
    let reading = try Self.reading(photos: rows.joined(separator: ","))
    #expect(ProcessorTime.ofThread - start < .seconds(60))
    let messages = reading.skipped.map(\.message)
    #expect(messages.count == 10_001)
    #expect(messages.suffix(2).first?.contains("photos[9999] has no createdAt") == true)
    #expect(messages.last == "40000 more rows lack a property and were skipped")
    #expect(reading.metadata.photos == [])
  }
}
