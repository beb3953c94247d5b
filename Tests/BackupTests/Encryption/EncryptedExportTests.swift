import Foundation
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// What an encrypted export holds, and what it does not show.
@Suite struct EncryptedExportTests {
  private static let password: Secret = "a long enough password"

  /// An encrypted backup and a plain one of the same library make the same library.
  @Test(arguments: GeneratedLibrary.all) func itHoldsWhatAPlainOneHolds(_ generated: GeneratedLibrary)
    async throws
  {
    let scratch = try ScratchFolder()
    let library = try generated.make()
    let encrypted = try await library.exporting(to: scratch.path.appending("encrypted.zip")) {
      $0.password = Self.password
      $0.verifies = true
    }
    #expect(!encrypted.isIncomplete && encrypted.phoneRefusals == ["it is encrypted"])
    let plain = try await library.exporting(to: scratch.path.appending("plain.zip"))
    let backup = try WrittenBackup(try #require(encrypted.archive), password: Self.password)
    expectNone(try backup.faults())
    #expect(try backup.photos == library.bytesOfPhotos())

    let (one, other) = (try SampleLibrary(), try SampleLibrary())
    let restored = try await one.importing(backup.path) { $0.password = Self.password }
    let expected = try await other.importing(try #require(plain.archive))
    #expect(restored == expected)
    #expect(try one.bytesOfPhotos() == other.bytesOfPhotos())
    let (first, second) = (try one.contents, try other.contents)
    #expect(first.photos == second.photos && first.categories == second.categories)
    expectNone(try one.faults())
  }

  /// Everything that can be read without the password: ids, endings, one date, sizes.
  @Test func itsDirectoryTellsNothing() async throws {
    let scratch = try ScratchFolder()
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

  @Test(arguments: ["elf Zeichen", "", "with a\0zero byte", String(repeating: "x", count: 100)])
  func passwordsThatAreUnfitAreRefused(_ password: String) async throws {
    let scratch = try ScratchFolder()
    let library = try GeneratedLibrary("one", fileNames: ["a.jpg"]).make()
    let error = await #expect(throws: BackupError.self) {
      try await library.exporting(to: scratch.path) { $0.password = Secret(password) }
    }
    guard case .unfitPassword = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  @Test func aWeakOneCanBeForced() async throws {
    let scratch = try ScratchFolder()
    let library = try GeneratedLibrary("one", fileNames: ["a.jpg"]).make()
    let summary = try await library.exporting(to: scratch.path) {
      $0.password = "short"
      $0.allowsWeakPassword = true
    }
    let backup = try WrittenBackup(try #require(summary.archive), password: "short")
    #expect(backup.photos.count == 1)
  }

  @Test func aJSONBackupCannotBeEncrypted() async throws {
    let scratch = try ScratchFolder()
    let library = try GeneratedLibrary("one", fileNames: ["a.jpg"]).make()
    let error = await #expect(throws: BackupError.self) {
      try await library.exporting(to: scratch.path) {
        $0.password = Self.password
        $0.format = .json
      }
    }
    guard case .cannotEncrypt = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  /// A photo that fails in the middle voids the first attempt; the second is encrypted as well.
  @Test func aPhotoThatCannotBeReadIsLeftOut() async throws {
    let scratch = try ScratchFolder()
    let library = try GeneratedLibrary("three", fileNames: ["a.jpg", "b.jpg", "c.jpg"]).make()
    let lost = try #require(try library.contents.photos.first { $0.id == 2 })
    try FileManager.default.removeItem(atPath: library.file(of: lost).string)
    let summary = try await library.exporting(to: scratch.path) {
      $0.password = Self.password
      $0.verifies = true
    }
    #expect(summary.missing.count == 1)
    let backup = try WrittenBackup(try #require(summary.archive), password: Self.password)
    #expect(backup.names == ["photos/1.jpg", "photos/3.jpg", "metadata.json", "checksums.md5"])
  }

  @Test func aDryRunSaysThatNoPhoneReadsIt() async throws {
    let library = try GeneratedLibrary("one", fileNames: ["a.jpg"]).make()
    let scratch = try ScratchFolder()
    let summary = try await library.exporting(to: scratch.path) {
      $0.password = Self.password
      $0.isDryRun = true
    }
    #expect(summary.phoneRefusals == ["it is encrypted"] && summary.archive == nil)
  }
}
