import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// `heal` from several archives, of which some cannot be used.
@Suite struct SeveralArchivesHealTests {
  private let scratch: ScratchFolder
  private let library: SampleLibrary
  private let backup: SampleBackup
  private let archive: FilePath
  private let unusable: [FilePath]

  init() async throws {
    scratch = try ScratchFolder()
    backup = SampleBackup(photos: ["first", "second"])
    archive = try backup.write(to: scratch)
    library = try SampleLibrary()
    try await library.importing(archive)
    let encrypted = scratch.path.appending("encrypted.zip")
    try await library.exporting(to: encrypted) { $0.password = EncryptedBackup.password }
    unusable = [
      encrypted, scratch.path.appending("missing.zip"),
      try scratch.write(Array("no backup".utf8), to: "text.zip"),
      try scratch.write(Array(try backup.archive().prefix(20)), to: "cut.zip"),
    ]
    let photo = try #require(try library.contents.photos.first)
    try Data("rotten".utf8).write(to: URL(fileURLWithPath: library.file(of: photo).string))
  }

  private func heal(_ archives: [FilePath]) async throws -> HealSummary {
    try await Work.heal(library.path, from: archives).summary
  }

  @Test func theOthersAreUsed() async throws {
    let summary = try await heal(unusable + [archive])
    #expect(summary.healed.count == 1 && summary.damaged == [])
    #expect(summary.isIncomplete, "an archive that was named was not read")
    #expect(summary.unusable.map(\.item) == unusable.map(\.string))
    for (path, finding) in zip(unusable, summary.unusable) { #expect(finding.message.contains(path.string)) }
    #expect(try library.bytesOfPhotos() == backup.photos)
  }

  /// Somebody writes to the first archive: while the library is read, or when a photo is about to be copied from it.
  @Test(arguments: ["photos", ".staging"])
  func oneThatChangesMeanwhileIsLeftAndTheOthersAreUsed(place: String) async throws {
    let changing = try backup.write(to: scratch, as: "changing.zip")
    let folder = URL(fileURLWithPath: library.path.appending(place).string).resolvingSymlinksInPath().path
    let fault = ArmedFault(
      Fault(
        .then {
          let file = FileHandle(forWritingAtPath: changing.string)
          _ = try? file?.seekToEnd()
          try? file?.write(contentsOf: Data("x".utf8))
          try? file?.close()
        }, of: .only([place == "photos" ? .read : .makeDirectory]), below: FilePath(folder)))
    let summary = try await heal([changing, archive])
    fault.disarm()
    #expect(fault.place != nil)
    #expect(summary.healed.map(\.message).allSatisfy { $0.contains(archive.string) })
    #expect(summary.healed.count == 1 && summary.damaged == [])
    #expect(summary.unusable.map(\.item) == [changing.string] && summary.isIncomplete)
    #expect(try library.bytesOfPhotos() == backup.photos)
    expectNone(try library.faults())
  }

  @Test func aPhotoThatCannotBeCopiedAnyMoreIsNamed() async throws {
    let changing = try backup.write(to: scratch, as: "changing.zip")
    let folder = URL(fileURLWithPath: library.path.string).resolvingSymlinksInPath().path + "/.staging"
    let fault = ArmedFault(
      Fault(
        .then { try? Data("short".utf8).write(to: URL(fileURLWithPath: changing.string)) },
        of: .only([.makeDirectory]), below: FilePath(folder)))
    let summary = try await heal([changing])
    fault.disarm()
    #expect(summary.healed == [] && summary.damaged.count == 1)
    expectNone(try library.faults())
  }

  @Test func whatNoneHealsStaysDamaged() async throws {
    let summary = try await heal(unusable)
    #expect(summary.healed == [] && summary.damaged.count == 1 && summary.isIncomplete)
    #expect(summary.unusable.count == 4)
  }

  @Test func oneAloneIsRefused() async throws {
    for path in unusable { await #expect(throws: (any Error).self) { try await heal([path]) } }
  }

  /// An archive whose metadata anybody reads, and whose photos are encrypted.
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

  @Test(.enabled(if: EncryptedBackup.isPossible)) func photosThatWaitForAPasswordAreNoDamage() async throws {
    let locked = try locked()
    let error = await #expect(throws: BackupError.self) { try await heal([locked.path]) }
    guard case .passwordNeeded(locked.path)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let summary = try await heal([locked.path, archive])
    #expect(summary.healed.count == 1 && !summary.isIncomplete && summary.damagedArchives.isEmpty)
    #expect(summary.warnings.count == 1)
    #expect(summary.warnings.first?.contains("\(locked.path) is encrypted") == true)

    var options = RepairOptions()
    options.others = [locked.path]
    options.destination = scratch.path.appending("repaired.zip")
    let cut = try scratch.write(Array(try backup.archive().dropLast(20)), to: "cut.zip")
    let refusal = await #expect(throws: BackupError.self) {
      try await Work.repair(cut, options: options).summary
    }
    guard case .passwordNeeded(locked.path)? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    options.password = EncryptedBackup.password
    #expect(try await Work.repair(cut, options: options).summary.lost.isEmpty)
  }
}
