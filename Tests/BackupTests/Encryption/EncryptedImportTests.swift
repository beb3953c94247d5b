import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Encrypted archives that 7z writes, with the right password and with a wrong one.
@Suite(.enabled(if: EncryptedBackup.isPossible)) struct EncryptedImportTests {
  private static let methods = ["AES128", "AES192", "AES256", "ZipCrypto"]

  private func androidBackup(_ options: String) throws -> EncryptedBackup {
    let backup = try EncryptedBackup(TestSupport.Fixture.entries())
    try backup.pack(".", "'-psesame open wide' \(options)")
    return backup
  }

  @Test(
    "Encrypted import: an archive of 7z is imported like a plain backup", arguments: methods,
    ["-mx0", "-mx5"])
  func sevenZipArchive(_ method: String, _ level: String) async throws {
    let backup = try androidBackup("\(level) -mem=\(method)")
    let (library, plain) = (try SampleLibrary(), try SampleLibrary())
    let summary = try await library.importing(backup.path) { $0.password = EncryptedBackup.password }
    let expected = try await plain.importing(Fixture.android.path)
    #expect(summary == expected)
    #expect(summary.photoFilesWritten == 8)
    #expect(try library.bytesOfPhotos() == plain.bytesOfPhotos())
    let check = try await Work.verify([backup.path], password: EncryptedBackup.password).summary
    #expect(check.damaged == [])
    #expect(check.entriesChecked == 9)
  }

  @Test(
    "Encrypted import: a wrong or missing password is refused and the library is unchanged",
    arguments: methods, [nil, "", "wrong password"] as [Secret?])
  func wrongPassword(_ method: String, _ password: Secret?) async throws {
    let backup = try androidBackup("-mem=\(method)")
    let library = try SampleLibrary()
    let before = try library.tree
    let isMissing = password?.isEmpty ?? true
    func expectRefusal(_ work: () async throws -> Void) async throws {
      let error = await #expect(throws: BackupError.self) { try await work() }
      switch error {
      case .passwordNeeded(backup.path): #expect(isMissing)
      // ZipCrypto checks one byte of the password, so a wrong password can look like damage
      case .wrongPassword(backup.path), .wrongPasswordOrDamaged(backup.path): #expect(!isMissing)
      default: Issue.record("\(String(describing: error))")
      }
      #expect(!"\(String(describing: error))".contains("wrong password ("))
    }
    try await expectRefusal { try await library.importing(backup.path) { $0.password = password } }
    try await expectRefusal {
      try await library.importing(backup.path) {
        $0.password = password
        $0.isDryRun = true
      }
    }
    try await expectRefusal { _ = try await Work.verify([backup.path], password: password).summary }
    try await expectRefusal { _ = try OpenedBackup(path: backup.path, password: password) }
    #expect(try library.tree == before)
  }

  @Test("Encrypted import: if one of two backups has another password, neither is imported")
  func otherPassword() async throws {
    let (one, other) = (try androidBackup("-mem=AES256"), try EncryptedBackup(TestSupport.Fixture.entries()))
    try other.pack(".", "-mem=AES256 -psomething_else")
    let library = try SampleLibrary()
    await #expect(throws: BackupError.self) {
      try await library.importing(one.path, other.path) { $0.password = EncryptedBackup.password }
    }
    #expect(try library.contents.photos.isEmpty)
  }

  /// The offsets lie in the salt, the check value, the data and the authentication code of the photo.
  @Test(
    "Encrypted import: a corrupt photo is reported and the others are imported",
    arguments: [0, 15, 16, 17, 18, 40, -11, -10, -1])
  func corruptPhoto(_ offset: Int) async throws {
    let backup = try androidBackup("-mx0 -mem=AES256")
    let name = try #require(
      try Archive(path: backup.path).entries.first { $0.name.hasPrefix("photos/") && $0.size > 100 }?.name)
    try backup.damage(name, at: offset)
    let check = try await Work.verify([backup.path], password: EncryptedBackup.password).summary
    #expect(check.damaged.count == 1)
    let library = try SampleLibrary()
    let summary = try await library.importing(backup.path) { $0.password = EncryptedBackup.password }
    #expect(summary.errors.count == 1)
    #expect(summary.photoFilesWritten == 7)
    #expect(summary.errors.first?.item == check.damaged.first?.item)
    expectNone(try library.faults())
  }

  /// The photos show that the password is right.
  @Test("Encrypted backup: corrupt metadata is not reported as a wrong password", arguments: [0, 16, 20, -1])
  func corruptMetadata(_ offset: Int) throws {
    let backup = try androidBackup("-mem=AES256")
    try backup.damage("metadata.json", at: offset)
    #expect(throws: ArchiveError.damaged(backup.path, entry: "metadata.json", reason: .checksum)) {
      try OpenedBackup(path: backup.path, password: EncryptedBackup.password)
    }
  }

  @Test("Encrypted backup: corrupt metadata without photos is reported as a possible wrong password")
  func corruptMetadataOnly() async throws {
    let backup = try EncryptedBackup(["metadata.json": Array("{\"categories\":[],\"photos\":[]}".utf8)])
    try backup.pack(".", "-mem=AES256 '-psesame open wide'")
    try backup.damage("metadata.json", at: -1)
    let error = #expect(throws: BackupError.self) {
      try OpenedBackup(path: backup.path, password: EncryptedBackup.password)
    }
    guard case .wrongPasswordOrDamaged = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("wrong password, or the archive is damaged") == true)
    // a search that can open no other archive fails too
    await #expect(throws: BackupError.self) {
      _ = try await Work.find(PhotoSelection(), in: [backup.path], password: EncryptedBackup.password).summary
    }
  }

  @Test("Encryption summary: methods and sizes are known without the password")
  func encryptionSummary() throws {
    let (strong, weak) = (try androidBackup("-mem=AES256"), try androidBackup("-mem=ZipCrypto"))
    let summary = try EncryptionSummary(path: strong.path)
    #expect(summary.methods == ["AES-256"])
    #expect(summary.entries == 9)
    #expect(summary.encryptedEntries == 9)
    #expect(summary.description == "AES-256")
    let bytes = try TestSupport.Fixture.entries().values.reduce(0) { $0 + $1.count }
    #expect(summary.bytes == bytes)
    #expect(try EncryptionSummary(path: weak.path).description == "ZipCrypto (weak)")
    let plain = try EncryptionSummary(path: Fixture.android.path)
    #expect(plain.methods == [])
    #expect(plain.encryptedEntries == 0)
    #expect(plain.description == "no")
  }
}

/// Archives in which only some entries are encrypted.
@Suite(.enabled(if: EncryptedBackup.isPossible)) struct MixedArchiveTests {
  /// An archive with plain metadata, two plain photos, an encrypted photo, and a photo with another password.
  private func mixed(withChecksums: Bool = true) throws -> EncryptedBackup {
    var sample = SampleBackup(photos: [
      "plain", "also plain, and longer than twenty", "secret photo, more than twenty",
      "foreign photo, over twenty",
    ])
    if !withChecksums {
      for index in sample.metadata.photoManifest.indices {
        sample.metadata.photoManifest[index].checksum = nil
      }
    }
    var entries = Dictionary(
      uniqueKeysWithValues: sample.metadata.photoManifest.map {
        ($0.zipEntryName, sample.photos[$0.photoId] ?? [])
      })
    entries["metadata.json"] = sample.metadata.json()
    let backup = try EncryptedBackup(entries)
    let names = sample.metadata.photoManifest.map { "'\($0.zipEntryName)'" }
    try backup.pack("metadata.json \(names[0]) \(names[1])", "")
    try backup.pack(names[2], "-mem=AES256 '-psesame open wide'")
    try backup.pack(names[3], "-mem=AES256 -psomething_else")
    return backup
  }

  @Test(
    "Encrypted import: a photo with another password is reported and the others are imported",
    arguments: [true, false])
  func otherPassword(_ withChecksums: Bool) async throws {
    let backup = try mixed(withChecksums: withChecksums)
    let library = try SampleLibrary()
    let summary = try await library.importing(backup.path) { $0.password = EncryptedBackup.password }
    #expect(summary.photoFilesWritten == 3)
    #expect(summary.isIncomplete)
    #expect(summary.errors.count == 1)
    #expect(summary.errors.first?.message.contains("the password is wrong, or the first bytes") == true)
    #expect(summary.errors.first?.item.contains("photo 4") == true)
    let texts = try library.bytesOfPhotos().values.map { String(decoding: $0, as: UTF8.self) }.sorted()
    #expect(texts == ["also plain, and longer than twenty", "plain", "secret photo, more than twenty"])
    let check = try await Work.verify([backup.path], password: EncryptedBackup.password).summary
    #expect(check.damaged.map(\.item) == summary.errors.map(\.item))
  }

  @Test("Encrypted import: a partly encrypted archive needs the password")
  func missingPassword() async throws {
    let backup = try mixed()
    let library = try SampleLibrary()
    for password in [nil, ""] as [Secret?] {
      await #expect { try await library.importing(backup.path) { $0.password = password } } throws: {
        if case BackupError.passwordNeeded = $0 { true } else { false }
      }
      await #expect(throws: BackupError.self) {
        try await Work.verify([backup.path], password: password).summary
      }
    }
    #expect(try library.contents.photos.isEmpty)
    // opening the archive and its summary need no password
    let source = try OpenedBackup(path: backup.path)
    #expect(source.photos.count == 4)
    #expect(source.photoFiles == 4)
    let archive = try #require(source.archive)
    #expect(EncryptionSummary(archive).description == "2 of 5 entries, AES-256")
  }

  /// `verify` reads all entries, an import only the photos.
  @Test("Encrypted import: an encrypted unknown entry is ignored; verify needs its password")
  func unknownEntry() async throws {
    let sample = SampleBackup(photos: ["one"])
    let backup = try EncryptedBackup([
      "metadata.json": sample.metadata.json(), "photos/1_one.jpg": Array("one".utf8),
      "stranger.txt": [1, 2, 3],
    ])
    try backup.pack("metadata.json photos", "")
    try backup.pack("stranger.txt", "-mem=AES256 -psomething_else")
    let library = try SampleLibrary()
    let summary = try await library.importing(backup.path)
    #expect(summary.photosImported == 1)
    #expect(!summary.isIncomplete)
    await #expect(throws: BackupError.self) { try await Work.verify([backup.path]).summary }
    let check = try await Work.verify([backup.path], password: EncryptedBackup.password).summary
    #expect(check.damaged.map(\.item) == ["stranger.txt"])
  }
}
