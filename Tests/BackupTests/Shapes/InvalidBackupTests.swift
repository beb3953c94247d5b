import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Backups that contradict themselves, or that no app wrote: each gives the documented result or an error that says what
/// is wrong, and nothing is lost.
@Suite struct InvalidBackupTests {
  private static let app = AndroidApp(.september22)
  private static let flags = [
    "hasPIN", "hasPattern", "kidSafeModeEnabled", "cameraAccessAllowed", "deleteProtectionEnabled",
  ]

  /// Imports a file into an empty library, or into one that is given.
  private func outcome(
    _ bytes: [UInt8], into library: SampleLibrary
  ) async throws -> (summary: ImportSummary, content: PhoneContent) {
    let scratch = try ScratchFolder()
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

  @Test("Invalid backups: any flags may be missing, and the library's stay", arguments: 0..<32)
  func missingFlags(_ missing: Int) async throws {
    let phone = Phone.android.with { $0.settings.hasPattern = true }
    let bytes = Self.app.backup(of: phone) { document in
      for (index, flag) in Self.flags.enumerated() where missing >> index & 1 == 1 {
        document["settings"]?["securitySettings"]?[flag] = nil
      }
    }
    let library = try SampleLibrary()
    let (summary, content) = try await outcome(bytes, into: library)
    #expect(content.count == phone.photos.count)
    #expect(!summary.isIncomplete)
    let settings = try library.contents.settings
    // those of the phone, or the defaults of a new library
    #expect(settings.hasPIN == (missing & 1 == 0))
    #expect(settings.hasPattern == (missing & 2 == 0))
    #expect(settings.kidSafeModeEnabled)
    #expect(settings.deleteProtectionEnabled == (missing & 16 == 0))
    #expect(settings.themeMode == .dark)
  }

  /// Parts of the settings that go missing.
  static let missingParts: [(label: String, change: @Sendable (inout PhoneJSON) -> Void)] = [
    ("securitySettings", { $0["settings"]?["securitySettings"] = nil }),
    ("isDarkMode", { $0["settings"]?["isDarkMode"] = nil }),
    ("everything in settings", { $0["settings"] = .object([]) }),
    ("everything in securitySettings", { $0["settings"]?["securitySettings"] = .object([]) }),
  ]

  @Test("Invalid backups: a part of the settings may be missing", arguments: missingParts.map(\.label))
  func missingPart(_ label: String) async throws {
    let change = try #require(Self.missingParts.first { $0.label == label }).change
    let (summary, content) = try await outcome(Self.app.backup(of: .android, change))
    #expect(content == PhoneContent(expectedOf: Self.app.taken(from: .android)))
    #expect(!summary.isIncomplete)
  }

  @Test("Invalid backups: unknown keys of the settings change nothing")
  func unknownKeys() async throws {
    let bytes = Self.app.backup(of: .android) { document in
      document["settings"]?["fontSize"] = .number(14)
      document["settings"]?["securitySettings"]?["hasFaceID"] = .array([.null])
    }
    let (summary, content) = try await outcome(bytes)
    #expect(content == PhoneContent(expectedOf: Self.app.taken(from: .android)))
    #expect(summary.warnings == [])
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
    "Invalid backups: null in the settings is taken as missing or refused with its path",
    arguments: ["isDarkMode", "securitySettings"] + flags)
  func null(_ key: String) async throws {
    let bytes = Self.app.backup(of: .android) { document in
      if Self.flags.contains(key) {
        document["settings"]?["securitySettings"]?[key] = .null
      } else {
        document["settings"]?[key] = .null
      }
    }
    do {
      let (_, content) = try await outcome(bytes)
      #expect(content == PhoneContent(expectedOf: Self.app.taken(from: .android)))
    } catch {
      try await expectRefused(bytes, naming: key)
    }
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

  @Test("Invalid backups: of two rows with equal ID and path, the second is left out and reported")
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

  @Test("Invalid backups: a category ID of 2⁶³−1 that no category has")
  func largestCategoryID() async throws {
    let phone = Phone.android.with { $0.photos[0].categoryId = .max }
    let (summary, content) = try await outcome(Self.app.backup(of: phone))
    #expect(content == PhoneContent(expectedOf: Self.app.taken(from: phone)))
    #expect(content.standIns == ["Category 9223372036854775807"])
    #expect(summary.warnings.count == 1)
    #expect(!summary.isIncomplete)
  }

  @Test("Invalid backups: ids that no category has, from 0 down", arguments: [0, -1, Int64.min])
  func smallCategoryID(_ id: Int64) async throws {
    let phone = Phone.android.with { $0.photos[0].categoryId = id }
    let (summary, content) = try await outcome(Self.app.backup(of: phone))
    #expect(content == PhoneContent(expectedOf: Self.app.taken(from: phone)))
    #expect(!summary.isIncomplete)
  }

  @Test("Invalid backups: a photo whose category is left out moves when a later backup knows the category")
  func laterCategory() async throws {
    let (library, phone, later) = (try SampleLibrary(), Phone.android, AndroidApp(.september27Later))
    _ = try await outcome(AndroidApp(.october17).backup(of: phone), into: library)
    let (_, content) = try await outcome(later.backup(of: phone), into: library)
    #expect(content.photos == PhoneContent(expectedOf: later.taken(from: phone)).photos)
  }

  // MARK: Containers

  @Test(
    "Invalid backups: the same shape nested under a root folder",
    arguments: PhoneBackups.all.filter { $0.isArchive && $0.app != nil }, [true, false])
  func nested(_ backup: PhoneBackup, _ marksNames: Bool) async throws {
    guard let app = backup.app else { return }
    // sizes, dates and names do not depend on the folder
    guard ["A13", "A17", "A18", "I05", "I05 with a demo photo", "I10"].contains(backup.label) else { return }
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

  @Test("Invalid backups: 44 % of the photos share an ID with another, and each comes with its file")
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

  @Test("Invalid backups: 44 % of 50,000 rows share an ID with another, and no row is lost")
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
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    let summary = try await library.importing(try scratch.write(Array(text.utf8), to: "backup.json")) {
      $0.isDryRun = true
    }
    #expect(summary.photosAbsent == 50_000)
    #expect(summary.errors == [])
  }
}
