import Foundation
import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

/// Documents that are not valid metadata. The fault has the path in the document.
@Suite struct MetadataFaultTests {
  static let category = #"{"id": 1, "name": "a", "displayName": "A", "position": 0, "createdAt": 5}"#
  static let photo = #"{"id": 1, "path": "p", "categoryId": 1, "name": "n", "createdAt": 5}"#
  static let entry =
    #"{"photoId": 1, "originalPath": "p", "zipEntryName": "photos/a", "fileName": "a", "fileSize": 0}"#

  /// A document with these lists, and with the properties in `more`.
  static func document(
    categories: String = category, photos: String = "", manifest: String = "", more: String = ""
  ) -> String {
    #"{"categories": [\#(categories)], "photos": [\#(photos)], "photoManifest": [\#(manifest)]\#(more)}"#
  }

  /// Paths, each with a document that has a fault there.
  static let faults: [(String, String)] = [
    ("categories", #"{}"#),
    ("categories", #"{"exportDate": 5, "categoriesCount": 7}"#),
    ("categories", #"{"categories": {}, "photos": []}"#),
    ("categories", #"{"categories": null, "photos": []}"#),
    ("photos", #"{"categories": [], "photos": "none"}"#),
    ("version", #"{"version": "2", "categories": [], "photos": []}"#),
    ("version", #"{"version": 2.5, "categories": [], "photos": []}"#),
    ("version", #"{"version": 99999999999999999999}"#),
    ("version", #"{"version": 3}"#),
    ("exportDate", document(more: #", "exportDate": "today""#)),
    ("photos[0]", document(photos: "7")),
    (
      "photos[0].categoryId",
      document(photos: photo.replacing(#""categoryId": 1"#, with: #""categoryId": "1""#))
    ),
    ("photos[0].id", document(photos: photo.replacing(#""id": 1"#, with: #""id": "1""#))),
    ("photos[0].id", document(photos: photo.replacing(#""id": 1"#, with: #""id": 9223372036854775808"#))),
    ("photos[0].createdAt", document(photos: photo.replacing("5", with: "null"))),
    ("photos[0].createdAt", document(photos: photo.replacing("5", with: "1.5"))),
    ("photos[0].createdAt", document(photos: photo.replacing("5", with: "true"))),
    ("photos[0].isFromAssets", document(photos: photo.replacing("5", with: #"5, "isFromAssets": 1"#))),
    ("photos[0].fileSize", document(photos: photo.replacing("5", with: #"5, "fileSize": "1""#))),
    ("photos[0].width", document(photos: photo.replacing("5", with: #"5, "width": "wide""#))),
    ("categories[0].name", document(categories: category.replacing(#""a""#, with: "1"))),
    ("photoManifest[0].zipEntryName", document(manifest: entry.replacing(#""photos/a""#, with: "[]"))),
    ("settings", document(more: #", "settings": []"#)),
    ("settings.securitySettings", document(more: #", "settings": {"securitySettings": false}"#)),
    ("smilepile.uuid", document(more: #", "smilepile": {"isPartial": false, "includesSettings": true}"#)),
    (
      "settings.securitySettings.hasPIN",
      document(more: #", "settings": {"isDarkMode": true, "securitySettings": {"hasPIN": 1234}}"#)
    ),
  ]

  @Test(
    "Metadata: an invalid document is refused with its path and the library is unchanged",
    arguments: faults)
  func invalidDocument(_ path: String, _ json: String) async throws {
    let fault = #expect(throws: Metadata.Fault.self) { try Metadata(json: Array(json.utf8)) }
    #expect(fault?.path == path)
    #expect(fault?.reason.isEmpty == false)

    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let tree = try library.tree
    let archive = try SampleBackup().archive(json: Array(json.utf8))
    for (bytes, name) in [(Array(json.utf8), "bad.json"), (archive, "bad.zip")] {
      let backup = try scratch.write(bytes, to: name)
      let error = await #expect(throws: BackupError.self) { try await library.importing(backup) }
      #expect(error?.description.contains(name) == true)
      if fault?.newerVersion == nil { #expect(error?.description.contains(path) == true) }
    }
    expectNone(try library.tree.differences(from: tree))
  }

  @Test(
    "Metadata: invalid JSON is refused",
    arguments: [
      "{", "{\"a\": }", "{} x", "{\"categories\": [}", "{'categories': []}", "{\"categories\": [], ",
    ])
  func invalidJSON(_ text: String) {
    let fault = #expect(throws: Metadata.Fault.self) { try Metadata(json: Array(text.utf8)) }
    #expect(fault?.reason.contains("not valid JSON") == true)
  }

  @Test("Import: a newer version is refused as such, whatever else the document contains")
  func newerVersion() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    // A newer version may change the type of any property.
    let backup = try scratch.write(#"{"version": 3, "categories": 7}"#, to: "new.json")
    let error = await #expect(throws: BackupError.self) { try await library.importing(backup) }
    #expect(error?.description.contains("newer version") == true)
    #expect(error?.description.contains("new.json") == true)
  }

  @Test("Metadata: invalid UTF-8 and UTF-16 are refused")
  func invalidUTF8() {
    var bytes = Array(Self.document(photos: Self.photo).utf8)
    bytes[bytes.count / 2] = 0xC3
    let fault = #expect(throws: Metadata.Fault.self) { try Metadata(json: bytes) }
    #expect(fault?.reason.contains("UTF-8") == true)
    #expect(throws: Metadata.Fault.self) { try Metadata(json: Array("{}".utf16.flatMap { [UInt8($0), 0] })) }
  }

  @Test("Metadata: 200,000 levels of nesting are refused without a crash", arguments: ["[", #"{"a":"#])
  func deepNesting(_ opening: String) {
    let deep = #"{"categories": [], "photos": [], "x": "# + String(repeating: opening, count: 200_000)
    #expect(throws: Metadata.Fault.self) { try Metadata(json: Array(deep.utf8)) }
  }

  @Test("Import: a byte order mark and blanks before the metadata are accepted")
  func byteOrderMark() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let text = "\u{FEFF}\r\n\t " + Self.document(more: #", "version": 1"#)
    let summary = try await library.importing(try scratch.write(text, to: "bom.json"))
    #expect(summary.categoriesImported == 1)
    var backup = SampleBackup(photos: ["a"])
    let json = [0xEF, 0xBB, 0xBF] + backup.metadata.json()
    backup.metadata.categories = []
    let archive = try scratch.write(backup.archive(json: json), to: "bom.zip")
    #expect(try await library.importing(archive).photosImported == 1)
  }

  @Test("Metadata: missing properties get their defaults and unknown ones are ignored")
  func defaults() throws {
    let metadata = try Metadata(
      json: Array(
        Self.document(photos: Self.photo, manifest: Self.entry, more: #", "unknown": {"a": [1]}"#).utf8))
    #expect(metadata.version == 2)
    #expect(metadata.format == "ZIP")
    #expect(metadata.appVersion == "")
    #expect(metadata.exportDate == nil)
    #expect(metadata.settings == nil)
    #expect(metadata.smilepile == nil)
    #expect(metadata.categories.map(\.isDefault) == [false])
    #expect(metadata.categories.map(\.colorHex) == [nil])
    #expect(metadata.categories.map(\.iconResource) == [nil])
    let photo = try #require(metadata.photos.first)
    #expect(!photo.isFromAssets)
    #expect(photo.fileSize == 0)
    #expect(photo.width == 0)
    #expect(photo.height == 0)
    #expect(metadata.photoManifest.map(\.checksum) == [nil])
  }

  @Test("Metadata: encoding and decoding yields equal metadata, without nulls")
  func roundTrip() throws {
    var backup = SampleBackup(photos: ["é", "e\u{301}", "\u{2028}\"\\/\u{7F}"])
    backup.metadata.categories[0].colorHex = "#4CAF50"
    backup.metadata.photos[0].createdAt = -5
    backup.metadata.smilepile = Metadata.Provenance(uuid: "u", isPartial: true, includesSettings: false)
    let json = backup.metadata.json()
    let back = try Metadata(json: json)
    #expect(back == backup.metadata)
    #expect(back.photos.map { Array($0.name.utf8) } == backup.metadata.photos.map { Array($0.name.utf8) })
    #expect(throws: Never.self) { try FoundationMetadata.readStrictly(json) }
    #expect(try !FoundationMetadata.holdsNull(json))
  }
}
