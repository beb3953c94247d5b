import Foundation
import Operations
import TestSupport
import Testing
import Zip

@testable import Backup

/// Metadata documents made to deceive the parser or to exhaust its memory. The scan before the parser refuses
/// invalid documents, the table of ranges repairs values. Both report the path in the document.
@Suite struct HostileDocumentTests {
  /// A document with `more` after the usual properties.
  private static func document(_ more: String) -> [UInt8] {
    Array(#"{"categories": [\#(MetadataFaultTests.category)], "photos": [], \#(more)}"#.utf8)
  }

  private func fault(_ json: [UInt8]) -> Metadata.Fault? {
    do {
      _ = try Metadata(json: json)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Nesting

  private static func nested(_ levels: Int, _ opening: String, _ closing: String) -> [UInt8] {
    // The document itself is the first level.
    document(
      #""x": "# + String(repeating: opening, count: levels - 1) + "7"
        + String(repeating: closing, count: levels - 1))
  }

  @Test(
    "Metadata: a document nested deeper than 64 levels is refused",
    arguments: [("[", "]"), (#"{"a":"#, "}")])
  func deepNesting(_ opening: String, _ closing: String) {
    let most = Limits().maximumNesting
    #expect(most == 64)
    #expect(fault(Self.nested(most, opening, closing)) == nil)
    for levels in [most + 1, 1000, 200_000] {
      let fault = self.fault(Self.nested(levels, opening, closing))
      #expect(fault?.reason == "is nested deeper than 64 levels")
      #expect(fault.map { $0.path.count <= 120 } == true)
      #expect(fault?.path.hasPrefix(opening == "[" ? "x[0][0]" : "x.a.a") == true)
    }
    #expect(throws: Metadata.Fault.self) {
      try Metadata(json: Self.nested(10, opening, closing), maximumNesting: 9)
    }
  }

  @Test("Metadata: brackets in a string do not count as nesting")
  func bracketsInString() {
    #expect(fault(Self.document(#""x": "\#(String(repeating: "[{", count: 5000))""#)) == nil)
  }

  // MARK: Keys

  @Test(
    "Metadata: a key that appears twice in the same object is refused",
    arguments: [
      ("version", #""version": 2, "version": 3"#), ("photos", #""photos": []"#),
      ("version", #""version": 2, "v\u0065rsion": 2"#), ("x.y[1].z", #""x": {"y": [1, {"z": 1, "z": 1}]}"#),
      ("x.", #""x": {"": 1, "": 2}"#), ("x.\\n", #""x": {"\n": 1, "\u000a": 2}"#),
      ("x.😀", #""x": {"😀": 1, "\uD83D\uDE00": 2}"#),
      ("x.49", #""x": {\#((0..<50).map { "\"\($0)\": 1" }.joined(separator: ",")), "49": 1}"#),
      ("categories[0].id", #""y": 1, "categories": 1"#),
    ])
  func duplicateKey(_ path: String, _ more: String) {
    var json = Self.document(more)
    if path == "categories[0].id" {
      json = Array(#"{"categories": [{"id": 1, "id": 2}]}"#.utf8)
    }
    #expect(fault(json)?.path == path)
    #expect(fault(json)?.reason == "appears twice in the same object")
  }

  @Test("Metadata: equal keys in different objects and similar keys in one object are accepted")
  func similarKeys() {
    let objects = #"{"a": 1}, {"a": 1, "A": 1, "a ": 1, "\\a": 1}, {"é": 1, "e\u0301": 1}"#
    #expect(fault(Self.document(#""x": [\#(objects)]"#)) == nil)
  }

  @Test("Metadata: an object with 99,000 keys is read in less than a minute of processor time")
  func manyKeys() {
    let keys = (0..<99_000).map { #""k\#($0)":0"# }.joined(separator: ",")
    let start = ProcessorTime.ofThread
    #expect(fault(Self.document(#""x": {\#(keys)}"#)) == nil)
    #expect(ProcessorTime.ofThread - start < .seconds(60))
  }

  // MARK: Numbers

  /// Paths, with values inside and outside of the range.
  static let numbers: [(path: String, right: [String], wrong: [String])] = [
    (
      "exportDate", ["0", "-1", "8640000000000000", "-8640000000000000"],
      ["8640000000000001", "-8640000000000001", "9223372036854775807"]
    ),
    ("photos[0].createdAt", ["-8640000000000000"], ["8640000000000001"]),
    ("categories[0].createdAt", ["8640000000000000"], ["-9223372036854775808"]),
    ("categories[0].valuesAsOf", ["-9223372036854775808", "7"], ["-9223372036854775807"]),
    ("categories[0].position", ["2147483647", "-2147483648"], ["2147483648", "-2147483649"]),
    ("photos[0].width", ["0", "2147483647"], ["-1", "2147483648"]),
    ("photos[0].height", ["0", "2147483647"], ["-1", "2147483648"]),
    ("photos[0].fileSize", ["0", "9223372036854775807"], ["-1"]),
    ("photoManifest[0].fileSize", ["0", "9223372036854775807"], ["-1", "-9223372036854775808"]),
    ("settings.valuesAsOf", ["-9223372036854775808", "7"], ["8640000000000001"]),
  ]

  @Test("Metadata: a number out of range is repaired with a warning that has its path", arguments: numbers)
  func numberOutOfRange(_ path: String, _ right: [String], _ wrong: [String]) throws {
    for number in right {
      #expect(try MetadataReading(json: Self.document(path, number)).warnings == [], "\(number)")
    }
    for number in wrong {
      let reading = try MetadataReading(json: Self.document(path, number))
      #expect(reading.warnings.count == 1)
      #expect(reading.warnings.first?.hasPrefix("\(path): \(number) ") == true, "\(reading.warnings)")
      // The repaired value is in range.
      #expect(try MetadataReading(json: reading.metadata.json()).warnings == [])
    }
  }

  @Test(
    "Metadata: a number that is not a 64-bit integer is refused",
    arguments: [
      ("exportDate", "1e300"), ("exportDate", "9007199254740993.5"),
      ("photos[0].fileSize", "9223372036854775808"),
      ("photos[0].id", "9223372036854775808"), ("photos[0].id", "1.5"),
    ])
  func noInteger(_ path: String, _ number: String) {
    #expect(fault(Self.document(path, number))?.path == path)
  }

  @Test(
    "Metadata: an invalid JSON number is refused with its path",
    arguments: [
      "NaN", "nan", "Infinity", "-Infinity", "+1", "01", "-", "1.", ".5", "1e", "0x10", "1_000", "--1", "1e+",
    ])
  func invalidNumber(_ text: String) {
    let fault = self.fault(Self.document("photos[0].createdAt", text))
    #expect(fault?.path == "photos[0].createdAt")
    #expect(fault?.reason.hasPrefix("not valid JSON") == true)
  }

  /// A complete document in which the property at `path` has this value.
  private static func document(_ path: String, _ value: String) -> [UInt8] {
    func object(_ at: String, _ properties: [(String, String)]) -> String {
      var properties = properties
      let key = path.hasPrefix(at) ? String(path.dropFirst(at.count)) : ""
      properties.removeAll { $0.0 == key }
      if !key.isEmpty, !key.contains(".") { properties.append((key, value)) }
      return "{" + properties.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }
    let category = object(
      "categories[0].",
      [("id", "1"), ("name", #""a""#), ("displayName", #""A""#), ("position", "0"), ("createdAt", "5")])
    let photo = object(
      "photos[0].",
      [("id", "1"), ("path", #""p""#), ("categoryId", "1"), ("name", #""n""#), ("createdAt", "5")])
    let entry = object(
      "photoManifest[0].",
      [
        ("photoId", "1"), ("originalPath", #""p""#), ("zipEntryName", #""photos/a""#), ("fileName", #""a""#),
        ("fileSize", "0"),
      ])
    let flags = ["hasPIN", "hasPattern", "kidSafeModeEnabled", "deleteProtectionEnabled"]
    let security = "{" + flags.map { "\"\($0)\": false" }.joined(separator: ", ") + "}"
    let settings = object("settings.", [("isDarkMode", "true"), ("securitySettings", security)])
    let root = path.contains(".") ? "" : ", \"\(path)\": \(value)"
    return Array(
      MetadataFaultTests.document(
        categories: category, photos: photo, manifest: entry, more: #", "settings": \#(settings)\#(root)"#
      ).utf8)
  }

  // MARK: Strings

  @Test(
    "Metadata: an invalid JSON string is refused with its path",
    arguments: [
      #""\uD800""#, #""\uD800x""#, #""\uDC00""#, #""\uD800\uD800""#, #""\uDE00\uD83D""#, #""\uD83D\n""#,
      #""\uD83D\u0041""#, #""\u12""#, #""\u12G4""#, #""\x41""#, "\"\u{1}\"", "\"\n\"", #""abc"#, #""\"#,
    ])
  func invalidString(_ text: String) {
    let fault = self.fault(Self.document("photos[0].name", text))
    #expect(fault?.path == "photos[0].name")
    #expect(fault?.reason.hasPrefix("not valid JSON") == true)
  }

  @Test("Metadata: escape sequences in a string are decoded")
  func escapeSequences() throws {
    let json = Self.document("photos[0].name", #""\uD83C\uDF6A\"\\\/\b\f\n\r\t\u00e9\u2028""#)
    #expect(try Metadata(json: json).photos[0].name == "🍪\"\\/\u{8}\u{C}\n\r\té\u{2028}")
  }

  static let texts: [(path: String, read: @Sendable (Metadata) -> String?)] = [
    ("photos[0].name", { $0.photos[0].name }), ("photos[0].path", { $0.photos[0].path }),
    ("photoManifest[0].originalPath", { $0.photoManifest[0].originalPath }),
    ("categories[0].name", { $0.categories[0].name }),
    ("categories[0].displayName", { $0.categories[0].displayName }), ("appVersion", { $0.appVersion }),
  ]

  @Test(
    "Metadata: a text with NUL or too many bytes is repaired with a warning",
    arguments: texts.map(\.path))
  func textOutOfRange(_ path: String) throws {
    let read = try #require(Self.texts.first { $0.path == path }).read
    let most = String(repeating: "é", count: Metadata.maximumTextBytes / 2)
    for (text, repaired) in [
      (most, most), (most + "x", most), (most + "éé", most), (#"\u0000a\u0000b"#, "ab"),
    ] {
      let reading = try MetadataReading(json: Self.document(path, "\"\(text)\""))
      #expect(read(reading.metadata) == repaired)
      #expect(reading.warnings.count == (text == repaired ? 0 : 1))
      #expect(reading.warnings.allSatisfy { $0.hasPrefix("\(path): ") })
    }
  }

  @Test("Metadata: a long key is truncated in the path of a fault")
  func longKey() throws {
    let key = String(repeating: "k", count: 1_000_000)
    let fault = try #require(self.fault(Self.document(#""\#(key)": {"a": NaN}"#)))
    #expect(fault.path == String(repeating: "k", count: 60) + "….a")
  }

  @Test("Metadata: control characters are escaped in the path of a fault")
  func controlCharacters() throws {
    let fault = try #require(self.fault(Self.document(#""\u001B[2J\u202E": NaN"#)))
    #expect(fault.path == "\\u{1B}[2J\\u{202E}")
  }

  // MARK: Size

  @Test("Metadata: a document over the size limit is refused, in an archive and as a file")
  func oversizedDocument() throws {
    let scratch = ScratchFolder()
    let backup = SampleBackup(photos: ["a"])
    let json = backup.metadata.json()
    let limits = Limits().with(\.maximumDocumentBytes, json.count - 1)
    let archive = try scratch.write(backup.archive(), to: "a.zip")
    let document = try scratch.write(json, to: "a.json")
    for path in [archive, document] {
      let error = #expect(throws: (any Error).self) { try OpenedBackup(path: path, limits: limits) }
      #expect(error.map { "\($0)" }?.contains("at most \(json.count - 1) are read") == true)
      #expect(throws: Never.self) {
        try OpenedBackup(path: path, limits: limits.with(\.maximumDocumentBytes, json.count))
      }
    }
  }

  // MARK: Archives of this program

  /// An export verifies its archive with these limits: a library may be larger than the limits for archives of
  /// unknown origin. The nesting does not depend on the size of a library, and stays limited.
  @Test("Limits: the program's own archives have no size limit, but a nesting limit")
  func ownArchives() throws {
    let own = Limits.trusted
    for (name, limit) in Limits.table {
      let isOfSize = limit != \.maximumNesting
      #expect(own[keyPath: limit] == (isOfSize ? .max : Limits()[keyPath: limit]), "\(name)")
    }
    let scratch = ScratchFolder()
    let deep = try scratch.write(Self.nested(own.maximumNesting + 1, "[", "]"), to: "deep.json")
    #expect(throws: BackupError.self) { try OpenedBackup(path: deep, limits: own) }
    let number = try scratch.write(Self.document(#""exportDate": 1e30"#), to: "number.json")
    #expect(throws: BackupError.self) { try OpenedBackup(path: number, limits: own) }
    let right = try scratch.write(Self.nested(own.maximumNesting, "[", "]"), to: "right.json")
    #expect(try OpenedBackup(path: right, limits: own).photos.isEmpty)
  }
}
