import Foundation
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// The content of an encrypted export, and what it reveals without the password.
@Suite struct EncryptedExportTests {
  private static let password: Secret = "a long enough password"

  @Test("Encrypted export: restores the same library as a plain export", arguments: GeneratedLibrary.all)
  func plainExport(_ generated: GeneratedLibrary) async throws {
    let scratch = ScratchFolder()
    let library = try generated.make()
    let encrypted = try await library.exporting(to: scratch.path.appending("encrypted.zip")) {
      $0.password = Self.password
      $0.verifies = true
    }
    #expect(!encrypted.isIncomplete)
    #expect(encrypted.phoneRefusals == ["it is encrypted"])
    let plain = try await library.exporting(to: scratch.path.appending("plain.zip"))
    let backup = try WrittenBackup.intact(encrypted.archive, password: Self.password)
    #expect(try backup.photos == library.bytesOfPhotos())

    let (one, other) = (try SampleLibrary(), try SampleLibrary())
    let restored = try await one.importing(backup.path) { $0.password = Self.password }
    let expected = try await other.importing(try #require(plain.archive))
    #expect(restored == expected)
    #expect(try one.bytesOfPhotos() == other.bytesOfPhotos())
    let (first, second) = (try one.contents, try other.contents)
    #expect(first.photos == second.photos)
    #expect(first.categories == second.categories)
    expectNone(try one.faults())
  }

  /// Without the password, the archive shows IDs, file name extensions, one date and sizes.
  @Test("Encrypted export: file names, category names and photo dates are not readable")
  func directory() async throws {
    let scratch = ScratchFolder()
    let names = [
      "Geburtstag.JPG", "beach.jpeg", "no-extension", ".hidden", "x.tar.longer", "ü.жpg", "a.b c", "y.HEIC",
    ]
    let library = try GeneratedLibrary("named", fileNames: names).make()
    let summary = try await library.exporting(to: scratch.path) { $0.password = Self.password }
    let path = try #require(summary.archive)
    let archive = try Archive(path: path)
    #expect(
      archive.entries.map(\.name) == [
        "photos/1.jpg", "photos/2.jpeg", "photos/3", "photos/4", "photos/5", "photos/6", "photos/7",
        "photos/8.heic",
        "metadata.json", "checksums.md5",
      ])
    #expect(archive.entries.count(where: \.isEncrypted) == 10)
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
    // the DOS time and date of each local header
    let dates = archive.entries.map { Array(bytes[$0.headerOffset + 10..<$0.headerOffset + 14]) }
    #expect(Set(dates).count == 1)
    for text in ["Geburtstag", "beach", "extension", "hidden", "longer", "family", "Family"] {
      #expect(bytes.firstRange(of: Array(text.utf8)) == nil, "\(text)")
    }
    #expect(bytes.firstRange(of: Self.password.withBytes { Array($0) }) == nil)

    let backup = try WrittenBackup(path, password: Self.password)
    #expect(backup.strict.photoManifest.map(\.originalPath) == names)
    #expect(backup.strict.photoManifest.map(\.fileName).first == "1.jpg")
  }

  @Test(
    "Encrypted export: an unfit password is refused and nothing is written",
    arguments: ["elf Zeichen", "", "with a\0zero byte", String(repeating: "x", count: 100)])
  func unfitPassword(_ password: String) async throws {
    let scratch = ScratchFolder()
    let library = try GeneratedLibrary("one", fileNames: ["a.jpg"]).make()
    await #expect {
      try await library.exporting(to: scratch.path) { $0.password = Secret(password) }
    } throws: {
      if case BackupError.unfitPassword = $0 { true } else { false }
    }
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  @Test("Encrypted export: the option for weak passwords allows a short password")
  func weakPassword() async throws {
    let scratch = ScratchFolder()
    let library = try GeneratedLibrary("one", fileNames: ["a.jpg"]).make()
    let summary = try await library.exporting(to: scratch.path) {
      $0.password = "short"
      $0.allowsWeakPassword = true
    }
    let backup = try WrittenBackup(try #require(summary.archive), password: "short")
    #expect(backup.photos.count == 1)
  }

  @Test("Encrypted export: the JSON format is refused and nothing is written")
  func jsonFormat() async throws {
    let scratch = ScratchFolder()
    let library = try GeneratedLibrary("one", fileNames: ["a.jpg"]).make()
    await #expect {
      try await library.exporting(to: scratch.path) {
        $0.password = Self.password
        $0.format = .json
      }
    } throws: {
      if case BackupError.cannotEncrypt = $0 { true } else { false }
    }
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  @Test("Encrypted export: a missing photo is reported and the others are encrypted")
  func missingPhoto() async throws {
    let scratch = ScratchFolder()
    let library = try GeneratedLibrary("three", fileNames: ["a.jpg", "b.jpg", "c.jpg"]).make()
    let missing = try #require(try library.contents.photos.first { $0.id == 2 })
    try FileManager.default.removeItem(atPath: library.file(of: missing).string)
    let summary = try await library.exporting(to: scratch.path) {
      $0.password = Self.password
      $0.verifies = true
    }
    #expect(summary.missing.count == 1)
    let backup = try WrittenBackup(try #require(summary.archive), password: Self.password)
    #expect(backup.names == ["photos/1.jpg", "photos/3.jpg", "metadata.json", "checksums.md5"])
  }

  @Test("Encrypted export: a dry run reports that phones cannot read the archive")
  func dryRun() async throws {
    let library = try GeneratedLibrary("one", fileNames: ["a.jpg"]).make()
    let scratch = ScratchFolder()
    let summary = try await library.exporting(to: scratch.path) {
      $0.password = Self.password
      $0.isDryRun = true
    }
    #expect(summary.phoneRefusals == ["it is encrypted"])
    #expect(summary.archive == nil)
  }
}
