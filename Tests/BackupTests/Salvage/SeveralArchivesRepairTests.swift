import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// `repair -l` from several archives, some of them unusable.
@Suite struct SeveralArchivesRepairTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary
  private let backup: SampleBackup
  private let archive: FilePath
  private let unusable: [FilePath]

  init() async throws {
    backup = SampleBackup(photos: ["first", "second"])
    archive = try backup.write(to: scratch)
    library = try SampleLibrary()
    try await library.importing(archive)
    let encrypted = scratch.path.appending("encrypted.zip")
    try await library.exporting(to: encrypted) { $0.password = EncryptedBackup.password }
    unusable = [
      encrypted, scratch.path.appending("missing.zip"),
      try scratch.write("no backup", to: "text.zip"),
      try scratch.write(Array(try backup.archive().prefix(20)), to: "cut.zip"),
    ]
    let photo = try #require(try library.contents.photos.first)
    try Data("rotten".utf8).write(to: URL(fileURLWithPath: library.file(of: photo).string))
  }

  private func repair(_ archives: [FilePath]) async throws -> LibraryRepairSummary {
    try await Work.repairLibrary(library.path, from: archives).summary
  }

  @Test("Library repair: unusable archives are reported, and the others are used")
  func unusableArchives() async throws {
    let summary = try await repair(unusable + [archive])
    #expect(summary.repaired.count == 1)
    #expect(summary.damaged == [])
    #expect(summary.isIncomplete, "one of the given archives was not read")
    #expect(summary.unusable.map(\.item) == unusable.map(\.string))
    for (path, finding) in zip(unusable, summary.unusable) { #expect(finding.message.contains(path.string)) }
    #expect(try library.bytesOfPhotos() == backup.photos)
  }

  /// Another process writes to the first archive while the library is read, or before a photo is copied from it.
  @Test(
    "Library repair: an archive that changes during the run is reported, another is used",
    arguments: ["photos", ".staging"])
  func changingArchive(place: String) async throws {
    let changing = try backup.write(to: scratch, as: "changing.zip")
    let fault = ArmedFault(
      .then {
        let file = FileHandle(forWritingAtPath: changing.string)
        _ = try? file?.seekToEnd()
        try? file?.write(contentsOf: Data("x".utf8))
        try? file?.close()
      }, of: [place == "photos" ? .read : .makeDirectory],
      below: library.path.appending(place))
    let summary = try await repair([changing, archive])
    fault.disarm()
    #expect(fault.place != nil)
    #expect(summary.repaired.map(\.message).allSatisfy { $0.contains(archive.string) })
    #expect(summary.repaired.count == 1)
    #expect(summary.damaged == [])
    #expect(summary.unusable.map(\.item) == [changing.string])
    #expect(summary.isIncomplete)
    #expect(try library.bytesOfPhotos() == backup.photos)
    expectNone(try library.faults())
  }

  @Test("Library repair: a photo is reported if its archive is overwritten during the run")
  func overwrittenArchive() async throws {
    let changing = try backup.write(to: scratch, as: "changing.zip")
    let fault = ArmedFault(
      .then { try? Data("short".utf8).write(to: URL(fileURLWithPath: changing.string)) },
      of: [.makeDirectory], below: library.path.appending(".staging"))
    let summary = try await repair([changing])
    fault.disarm()
    #expect(summary.repaired == [])
    #expect(summary.damaged.count == 1)
    expectNone(try library.faults())
  }

  @Test("Library repair: without a usable archive, photo and archives are reported")
  func noUsableArchive() async throws {
    let summary = try await repair(unusable)
    #expect(summary.repaired == [])
    #expect(summary.damaged.count == 1)
    #expect(summary.isIncomplete)
    #expect(summary.unusable.count == 4)
  }

  @Test("Library repair: a single archive that is unusable is refused")
  func singleUnusableArchive() async throws {
    for path in unusable { await #expect(throws: (any Error).self) { try await repair([path]) } }
  }

  /// An archive with unencrypted metadata and encrypted photos.
  private func locked() throws -> EncryptedBackup {
    var entries = ["metadata.json": backup.metadata.json()]
    for (item, id) in zip(backup.metadata.photoManifest, backup.photos.keys.sorted()) {
      entries[item.zipEntryName] = backup.photos[id]
    }
    let locked = try EncryptedBackup(entries)
    try locked.pack("metadata.json", "")
    try locked.pack("photos", "-mem=AES256 '-psesame open wide'")
    return locked
  }

  @Test(
    "Repair: encrypted photos without a password are not reported as damage",
    .enabled(if: EncryptedBackup.isPossible))
  func missingPassword() async throws {
    let locked = try locked()
    await #expect { try await repair([locked.path]) } throws: {
      if case BackupError.passwordNeeded(locked.path) = $0 { true } else { false }
    }
    let summary = try await repair([locked.path, archive])
    #expect(summary.repaired.count == 1)
    #expect(!summary.isIncomplete)
    #expect(summary.damagedArchives.isEmpty)
    #expect(summary.warnings.count == 1)
    #expect(summary.warnings.first?.contains("\(locked.path) is encrypted") == true)

    var options = RewriteOptions()
    options.others = [locked.path]
    options.destination = scratch.path.appending("repaired.zip")
    let cut = try scratch.write(Array(try backup.archive().dropLast(20)), to: "cut.zip")
    await #expect { try await Work.repair(cut, options: options).summary } throws: {
      if case BackupError.passwordNeeded(locked.path) = $0 { true } else { false }
    }
    options.password = EncryptedBackup.password
    #expect(try await Work.repair(cut, options: options).summary.unrecoverable.isEmpty)
  }
}
