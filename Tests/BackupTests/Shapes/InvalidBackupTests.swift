import Foundation
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Inconsistent backups, and backups that no app wrote. Each has the documented result or an error with the reason, and
/// the library keeps its photos.
@Suite struct InvalidBackupTests {
  private static let app = AndroidApp(.september22)
  private static let flags = [
    "hasPIN", "hasPattern", "kidSafeModeEnabled", "cameraAccessAllowed", "deleteProtectionEnabled",
  ]

  /// Imports a file into an empty library, or into one that is given.
  private func outcome(
    _ bytes: [UInt8], into library: SampleLibrary
  ) async throws -> (summary: ImportSummary, content: PhoneContent) {
    let scratch = ScratchFolder()
    let summary = try await library.importing(try scratch.write(bytes, to: "backup.zip"))
    expectNone(try library.faults())
    return (summary, try PhoneContent(library))
  }

  private func outcome(
    _ bytes: [UInt8]
  ) async throws -> (summary: ImportSummary, content: PhoneContent) {
    try await outcome(bytes, into: try SampleLibrary())
  }

  // MARK: Settings

  /// Two phones whose settings differ in every value.
  private static let (calm, strict) = (
    Phone.android.with { phone in
      phone.settings.isDark = false
      phone.settings.hasPIN = false
      phone.settings.hasPattern = true
      phone.settings.kidSafeMode = true
      phone.settings.cameraAccess = true
      phone.settings.deleteProtection = false
    },
    Phone.android.with { phone in
      phone.settings.isDark = true
      phone.settings.hasPIN = true
      phone.settings.hasPattern = false
      phone.settings.kidSafeMode = false
      phone.settings.cameraAccess = false
      phone.settings.deleteProtection = true
    }
  )

  /// The settings of a library after the import of a backup whose document lacks some keys.
  private func stated(by phone: Phone, without keys: Set<String> = []) -> Settings {
    func value<Value>(_ key: String, _ value: Value) -> Value? { keys.contains(key) ? nil : value }
    let (flags, date) = (phone.settings, Timestamp(rawValue: phone.exportDate))
    var stated = Settings(createdAt: 0)
    stated.theme = value("isDarkMode", .init(flags.isDark ? .dark : .light, asOf: date))
    stated.pin = value("hasPIN", .init(flags.hasPIN, asOf: date))
    stated.pattern = value("hasPattern", .init(flags.hasPattern, asOf: date))
    stated.kidSafeMode = value("kidSafeModeEnabled", flags.kidSafeMode)
    stated.cameraAccess = value("cameraAccessAllowed", flags.cameraAccess)
    stated.deleteProtection = value("deleteProtectionEnabled", flags.deleteProtection)
    return stated
  }

  /// Imports a backup into an empty library, and compares the settings with those of the phone, except some keys.
  private func expectStated(
    _ bytes: [UInt8], by phone: Phone, without keys: Set<String> = []
  ) async throws {
    let library = try SampleLibrary()
    let (summary, content) = try await outcome(bytes, into: library)
    #expect(content == PhoneContent(expectedOf: Self.app.taken(from: phone)))
    #expect(summary.warnings == [])
    #expect(!summary.isIncomplete)
    #expect(try SettingsValues(library.contents.settings) == SettingsValues(stated(by: phone, without: keys)))
  }

  /// Imports a backup of `strict` that is newer than the library's backup of `calm`. Missing settings stay, the others
  /// are merged.
  private func expectMerged(_ bytes: [UInt8], without keys: Set<String>) async throws {
    let library = try SampleLibrary()
    let earlier = Self.calm.with { $0.exportDate -= 1000 }
    _ = try await outcome(Self.app.backup(of: earlier), into: library)
    let (summary, _) = try await outcome(bytes, into: library)
    #expect(summary.warnings == [])
    #expect(!summary.isIncomplete)
    let (before, new) = (stated(by: earlier), stated(by: Self.strict, without: keys))
    var expected = before
    expected.theme = new.theme ?? before.theme
    expected.pin = new.pin ?? before.pin
    expected.pattern = new.pattern ?? before.pattern
    // kid-safe mode is on in the library, and stays on
    expected.cameraAccess = new.cameraAccess ?? before.cameraAccess
    expected.deleteProtection = new.deleteProtection ?? before.deleteProtection
    #expect(try SettingsValues(library.contents.settings) == SettingsValues(expected))
  }

  /// The keys whose bits are set.
  private static func keys(_ bits: Int) -> Set<String> {
    Set(flags.indices.filter { bits >> $0 & 1 == 1 }.map { flags[$0] })
  }

  private static func backup(of phone: Phone, withoutFlags keys: Set<String>) -> [UInt8] {
    app.backup(of: phone) { document in
      for key in keys { document["settings"]?["securitySettings"]?[key] = nil }
    }
  }

  @Test(
    "Invalid backups: any flags may be missing, and an empty library gets the others", arguments: 0..<32)
  func missingFlags(_ missing: Int) async throws {
    let keys = Self.keys(missing)
    try await expectStated(
      Self.backup(of: Self.strict, withoutFlags: keys), by: Self.strict, without: keys)
  }

  @Test("Invalid backups: flags that are missing in a newer backup stay in the library", arguments: 0..<32)
  func missingNewerFlags(_ missing: Int) async throws {
    let keys = Self.keys(missing)
    try await expectMerged(Self.backup(of: Self.strict, withoutFlags: keys), without: keys)
  }

  @Test(
    "Invalid backups: an older backup with missing flags only turns on kid-safe mode",
    arguments: 0..<32)
  func missingOlderFlags(_ missing: Int) async throws {
    let (keys, library) = (Self.keys(missing), try SampleLibrary())
    _ = try await outcome(Self.app.backup(of: Self.strict), into: library)
    let older = Self.calm.with { $0.exportDate -= 1000 }
    _ = try await outcome(Self.backup(of: older, withoutFlags: keys), into: library)
    var expected = stated(by: Self.strict)
    expected.kidSafeMode = !keys.contains("kidSafeModeEnabled")
    #expect(try SettingsValues(library.contents.settings) == SettingsValues(expected))
  }

  /// Parts of the settings that are removed, and the keys that are missing as a result.
  static let missingParts: [(label: String, keys: Set<String>, change: @Sendable (inout PhoneJSON) -> Void)] =
    [
      ("securitySettings", Set(flags), { $0["settings"]?["securitySettings"] = nil }),
      ("isDarkMode", ["isDarkMode"], { $0["settings"]?["isDarkMode"] = nil }),
      ("everything in settings", Set(flags + ["isDarkMode"]), { $0["settings"] = .object([]) }),
      (
        "everything in securitySettings", Set(flags), { $0["settings"]?["securitySettings"] = .object([]) }
      ),
    ]

  @Test(
    "Invalid backups: an empty library gets the settings that are not missing",
    arguments: missingParts.indices)
  func missingPart(_ index: Int) async throws {
    let part = Self.missingParts[index]
    try await expectStated(
      Self.app.backup(of: Self.strict, part.change), by: Self.strict, without: part.keys)
  }

  @Test(
    "Invalid backups: a part of the settings that is missing stays in the library",
    arguments: missingParts.indices)
  func missingNewerPart(_ index: Int) async throws {
    let part = Self.missingParts[index]
    try await expectMerged(Self.app.backup(of: Self.strict, part.change), without: part.keys)
  }

  @Test("Invalid backups: unknown keys of the settings change nothing")
  func unknownKeys() async throws {
    let bytes = Self.app.backup(of: .android) { document in
      document["settings"]?["fontSize"] = .number(14)
      document["settings"]?["securitySettings"]?["hasFaceID"] = .array([.null])
    }
    try await expectStated(bytes, by: .android)
  }

  static let wrongValues: [(label: String, value: PhoneJSON)] = [
    ("a text", .string("true")), ("a number", .number(1)), ("a list", .array([])),
  ]

  @Test(
    "Invalid backups: a setting of another type is refused with its path",
    arguments: wrongValues.map(\.label), ["isDarkMode", "securitySettings"] + flags)
  func wrongType(_ label: String, _ key: String) async throws {
    let value = try #require(Self.wrongValues.first { $0.label == label }).value
    let bytes = Self.app.backup(of: .android) { document in
      if Self.flags.contains(key) {
        document["settings"]?["securitySettings"]?[key] = value
      } else {
        document["settings"]?[key] = value
      }
    }
    try await expectRefused(bytes, naming: key)
  }

  @Test(
    "Invalid backups: null in the settings is taken as missing, and the library's setting stays",
    arguments: ["isDarkMode", "securitySettings"] + flags)
  func null(_ key: String) async throws {
    let bytes = Self.app.backup(of: Self.strict) { document in
      if Self.flags.contains(key) {
        document["settings"]?["securitySettings"]?[key] = .null
      } else {
        document["settings"]?[key] = .null
      }
    }
    try await expectMerged(bytes, without: key == "securitySettings" ? Set(Self.flags) : [key])
  }

  private func expectRefused(_ bytes: [UInt8], naming key: String) async throws {
    let library = try SampleLibrary()
    let before = try library.tree
    do {
      _ = try await outcome(bytes, into: library)
      Issue.record("the backup was imported")
    } catch {
      #expect("\(error)".contains(key))
    }
    expectNone(try library.tree.differences(from: before))
  }

  // MARK: Rows

  @Test("Invalid backups: two identical rows are one photo")
  func identicalRows() async throws {
    let bytes = Self.app.backup(of: .android) { document in
      let row = document["photos"]?.elements[0]
      row.map { document["photos"]?.elements.append($0) }
    }
    let (summary, content) = try await outcome(bytes)
    #expect(content == PhoneContent(expectedOf: Self.app.taken(from: .android)))
    #expect(summary.warnings.count == 1)
    #expect(!summary.isIncomplete)
  }

  @Test("Invalid backups: the second of two rows with equal ID and path is left out and reported")
  func contradictingRows() async throws {
    let bytes = Self.app.backup(of: .android) { document in
      guard var row = document["photos"]?.elements[0] else { return }
      row["createdAt"] = .number(12_345)
      document["photos"]?.elements.append(row)
    }
    let (summary, content) = try await outcome(bytes)
    #expect(content == PhoneContent(expectedOf: Self.app.taken(from: .android)))
    #expect(summary.isIncomplete)
    let messages = summary.warnings + summary.errors.map(\.message)
    #expect(messages.count { $0.contains("IMG_0001") } == 1)
  }

  @Test("Invalid backups: a row with two manifest entries is two photos", arguments: [1, 2])
  func severalManifestEntries(_ rows: Int) async throws {
    let second = Picture.jpeg(88)
    var document = Self.app.document(of: .android)
    if rows == 2, let row = document["photos"]?.elements[0] { document["photos"]?.elements.append(row) }
    var entry = try #require(document["photoManifest"]?.elements.first)
    entry["zipEntryName"] = .string("photos/other.jpg")
    entry["fileName"] = .string("other.jpg")
    entry["fileSize"] = .number(Int64(second.count))
    entry["checksum"] = nil
    document["photoManifest"]?.elements.append(entry)
    let files = Self.app.files(of: .android) + [PhoneFile(name: "other.jpg", bytes: second)]
    let (_, content) = try await outcome(Self.app.backup(document, files))
    let contents = content.photos.keys.compactMap(\.bytes)
    #expect(content.count == Phone.android.photos.count + 1)
    #expect(contents.contains(second))
    #expect(contents.contains(Picture.jpeg(1)))
  }

  @Test("Invalid backups: photos with the unknown category ID 2⁶³−1 get a new category")
  func largestCategoryID() async throws {
    let phone = Phone.android.with { $0.photos[0].categoryId = .max }
    let (summary, content) = try await outcome(Self.app.backup(of: phone))
    #expect(content == PhoneContent(expectedOf: Self.app.taken(from: phone)))
    #expect(content.standIns == ["Category 9223372036854775807"])
    #expect(summary.warnings.count == 1)
    #expect(!summary.isIncomplete)
  }

  @Test(
    "Invalid backups: photos with unknown category IDs of 0 and below are imported",
    arguments: [0, -1, Int64.min])
  func smallCategoryID(_ id: Int64) async throws {
    let phone = Phone.android.with { $0.photos[0].categoryId = id }
    let (summary, content) = try await outcome(Self.app.backup(of: phone))
    #expect(content == PhoneContent(expectedOf: Self.app.taken(from: phone)))
    #expect(!summary.isIncomplete)
  }

  @Test("Invalid backups: a photo of an unknown category moves when a later backup has the category")
  func laterCategory() async throws {
    let (library, phone, later) = (try SampleLibrary(), Phone.android, AndroidApp(.september27Later))
    _ = try await outcome(AndroidApp(.october17).backup(of: phone), into: library)
    let (_, content) = try await outcome(later.backup(of: phone), into: library)
    #expect(content.photos == PhoneContent(expectedOf: later.taken(from: phone)).photos)
  }

  // MARK: Containers

  /// Shapes with files, whose sizes, dates and names do not depend on the folder.
  private static let nestedLabels = ["A13", "A17", "A18", "I05", "I05 with a demo photo", "I10"]

  @Test(
    "Invalid backups: a backup nested under a root folder is imported",
    arguments: PhoneBackups.all.filter { nestedLabels.contains($0.label) }, [true, false])
  func nested(_ backup: PhoneBackup, _ marksNames: Bool) async throws {
    let app = try #require(backup.app)
    var zip = FolderZip(root: "backup_temp_1", marksNames: marksNames)
    let document = app.document(of: backup.phone)
    zip.add("metadata.json", Array((app is IOSApp ? document.foundation : document.kotlin).utf8))
    for file in app.files(of: backup.phone) {
      zip.add("photos/\(file.name.decomposedStringWithCanonicalMapping)", file.bytes)
    }
    let (summary, content) = try await outcome(zip.bytes)
    #expect(content == PhoneContent(expectedOf: backup.taken))
    #expect(!summary.isIncomplete)
  }

  // MARK: Collisions

  @Test("Invalid backups: photos that share an ID, 44 % of all, are imported with their files")
  func collisions() async throws {
    let phone = Phone.android.with { phone in
      phone.photos = (0..<150).map { number in
        let id = Int64(number < 66 ? number / 2 : number)
        return Phone.Photo(id, "\(Phone.androidFolder)\(number).jpg", in: 1, Picture.jpeg(number))
      }
    }
    let (summary, content) = try await outcome(Self.app.backup(of: phone))
    #expect(content == PhoneContent(expectedOf: Self.app.taken(from: phone)))
    #expect(!summary.isIncomplete)
  }

  @Test("Invalid backups: 50,000 rows of which 44 % share an ID are all counted")
  func manyCollisions() async throws {
    // as text: printing so many rows value by value takes longer than their import
    let rows = (0..<50_000).map { number in
      let id = number < 22_000 ? number / 2 : number
      return #"{"id":\#(id),"path":"/p/\#(number).jpg","categoryId":1,"name":"\#(number)","createdAt":5}"#
    }
    let text = """
      {"exportDate":1760450000123,"categories":[{"id":1,"name":"family","displayName":"Family","position":0,
      "createdAt":5}],"photos":[\(rows.joined(separator: ","))],"settings":{"isDarkMode":true}}
      """
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let summary = try await library.importing(try scratch.write(text, to: "backup.json")) {
      $0.isDryRun = true
    }
    #expect(summary.photosNotImported == 50_000)
    #expect(summary.errors == [])
  }
}
