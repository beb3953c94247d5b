import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// `repair` writes a new archive with everything that it recovers. The damaged archive stays unchanged.
@Suite struct RepairTests {
  private let scratch = ScratchFolder()

  private func repair(
    _ path: FilePath, configure: (inout RewriteOptions) -> Void = { _ in }
  ) async throws -> RewriteSummary {
    var options = RewriteOptions()
    configure(&options)
    return try await Work.repair(path, options: options).summary
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.path.string).sorted()
  }

  /// Exports a library, and returns a truncated copy of the archive, its bytes, and the intact archive.
  private func cutExport(
    _ library: SampleLibrary, keeping part: Double
  ) async throws -> (path: FilePath, bytes: [UInt8], intact: WrittenBackup) {
    let export = try await library.exporting(to: scratch.path.appending("whole.zip"))
    let archive = try #require(export.archive)
    let intact = try WrittenBackup(archive)
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: archive.string)))
    let cut = Array(bytes[..<Int(Double(bytes.count) * part)])
    return (try scratch.write(cut, to: "cut.zip"), cut, intact)
  }

  private func library() throws -> SampleLibrary {
    try SampleLibrary(
      (1...4).map { number in
        .init(
          id: Int64(number), fileName: "photo\(number).jpg",
          bytes: (0..<3000).map { UInt8(truncatingIfNeeded: $0 * number) })
      }, categories: [.sample(1, "family")])
  }

  @Test("Repair: an intact archive is unchanged, and no archive is written")
  func intactArchive() async throws {
    let path = try SampleBackup(photos: ["a", "b"]).write(to: scratch)
    let summary = try await repair(path)
    #expect(summary.isIntact)
    #expect(summary.photos == 2)
    #expect(summary.unrecoverable == [])
    #expect(try names() == ["backup.zip"])
  }

  /// The entry is a few bytes of bzip2 that declare 4 EB, and the limits allow this size.
  @Test(
    "Repair: an entry that declares more bytes than it has is reported as missing", arguments: [true, false])
  func hugeDeclaredSize(isCut: Bool) async throws {
    var backup = SampleBackup(photos: ["one", "two"])
    backup.declareSize(4_000_000_000_000_000_000, ofMember: 1)
    let bytes = try backup.archive()
    let path = try scratch.write(isCut ? Array(bytes.dropLast(22)) : bytes, to: "huge.zip")
    let summary = try await repair(path) { $0.limits.maximumBytes = .max }
    #expect(summary.photos == 1)
    #expect(summary.unrecoverable.map(\.item) == ["photo 2 “two” in “Family”"])
  }

  @Test("Repair: a truncated archive of an empty library is reported as damaged")
  func emptyLibrary() async throws {
    let (path, _, _) = try await cutExport(SampleLibrary(), keeping: 0.95)
    let summary = try await repair(path)
    #expect(summary.archive == nil)
    #expect(summary.faults.count == 1)
    #expect(summary.unrecoverable == [])
    #expect(!summary.isIntact)
    #expect(summary.isIncomplete)
  }

  @Test("Repair: without the central directory, all photos and the metadata are recovered")
  func missingDirectory() async throws {
    let library = try library()
    let (path, bytes, intact) = try await cutExport(library, keeping: 1)
    let directory =
      try Archive(path: intact.path).entries.map { $0.dataOffset + $0.compressedSize }.max() ?? 0
    _ = try scratch.write(Array(bytes[..<directory]), to: "cut.zip")
    let summary = try await repair(path)
    #expect(summary.unrecoverable == [])
    #expect(summary.restored == [])
    #expect(summary.photos == 4)
    let repaired = try WrittenBackup.intact(summary.archive)
    // the repaired archive keeps the ID of the backup
    #expect(repaired.metadata == intact.metadata)
    #expect(repaired.entries == intact.entries)
    #expect(try names() == ["cut.repaired.zip", "cut.zip", "whole.zip"])
  }

  @Test("Repair: an archive whose name leaves no room for the new one's needs -o, and nothing is written")
  func longName() async throws {
    let (_, bytes, _) = try await cutExport(try library(), keeping: 0.5)
    let long = String(repeating: "é", count: 125) + "a.zip"
    let path = try scratch.write(bytes, to: long)
    let folder = try scratch.makeFolder("other")
    let before = try names()
    for destination in [nil, folder] {
      let error = await #expect(throws: BackupError.self) {
        try await repair(path) { $0.destination = destination }
      }
      #expect(error?.description.hasSuffix("a name has at most 255 bytes") == true)
      #expect(error?.remedy == .shortenName)
    }
    #expect(try names() == before)
    let summary = try await repair(path) { $0.destination = folder.appending("short.zip") }
    #expect(summary.archive == folder.appending("short.zip"))
  }

  @Test("Repair: a numbered name that would be too long is not tried")
  func longNumberedName() async throws {
    let (_, bytes, _) = try await cutExport(try library(), keeping: 0.5)
    let stem = String(repeating: "a", count: 255 - ".repaired.zip".count)
    let path = try scratch.write(bytes, to: stem + ".zip")
    try scratch.write([1], to: stem + ".repaired.zip")
    await #expect { try await repair(path) } throws: {
      if case BackupError.destinationExists = $0 { true } else { false }
    }
  }

  @Test("Repair: without metadata, the intact photos are recovered into one category")
  func missingMetadata() async throws {
    let library = try library()
    let (path, bytes, intact) = try await cutExport(library, keeping: 0.6)
    let summary = try await repair(path)
    let repaired = try WrittenBackup.intact(summary.archive)
    #expect(summary.photos == repaired.photos.count)
    #expect(summary.photos >= 2)
    for (id, photo) in repaired.photos { #expect(photo == intact.photos[id]) }
    #expect(summary.unrecoverable.contains { $0.item == "metadata.json" })
    #expect(repaired.metadata.smilepile?.isPartial == true)
    #expect(repaired.metadata.categories.map(\.name) == ["rescued"])
    #expect(repaired.metadata.smilepile?.includesSettings == false)
    #expect(repaired.metadata.settings?.themeMode == "system")
    let security = try #require(repaired.metadata.settings?.securitySettings)
    #expect(security.kidSafeModeEnabled == true)
    #expect(security.cameraAccessAllowed == true)
    #expect(security.deleteProtectionEnabled == false)
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path.string))) == bytes)
  }

  /// An archive that begins with the metadata, with a corrupt second photo and a truncated third photo.
  private func damagedBackup() throws -> (SampleBackup, FilePath) {
    let backup = SampleBackup(photos: ["first photo", "second photo", "third photo"])
    var damaged = backup
    damaged.members[1].data[3] ^= 1
    let bytes = try damaged.archive()
    let end = try #require(try ArchiveEnd.ofThirdPhoto(bytes))
    return (backup, try scratch.write(Array(bytes[..<(end - 3)]), to: "bad.zip"))
  }

  private enum ArchiveEnd {
    static func ofThirdPhoto(_ bytes: [UInt8]) throws -> Int? {
      let scratch = ScratchFolder()
      return try Archive(path: scratch.write(bytes, to: "x.zip")).entries.last.map {
        $0.dataOffset + $0.compressedSize
      }
    }
  }

  @Test("Repair: unrecoverable photos are reported and keep their rows")
  func unrecoverablePhotos() async throws {
    let (backup, path) = try damagedBackup()
    let summary = try await repair(path)
    #expect(
      summary.unrecoverable.map(\.item) == [
        "photo 2 “second photo” in “Family”", "photo 3 “third photo” in “Family”",
      ])
    let repaired = try WrittenBackup.intact(summary.archive)
    #expect(repaired.photos == [1: backup.photos[1]])
    #expect(repaired.metadata.photos.map(\.id) == [1, 2, 3])
    #expect(repaired.metadata.settings?.isDarkMode == true)
    #expect(repaired.metadata.exportDate == backup.metadata.exportDate)
    #expect(repaired.metadata.smilepile?.isPartial == true)
  }

  @Test("Repair: missing photos are taken from a library and another archive")
  func otherSources() async throws {
    let (backup, path) = try damagedBackup()
    let library = try SampleLibrary(
      [.init(id: 77, fileName: "other name.jpg", bytes: backup.photos[2] ?? [])],
      categories: [.sample(1, "x")])
    var other = SampleBackup()
    other.add(id: 5, name: "same bytes", bytes: backup.photos[3] ?? [])
    other.metadata.photoManifest[0].checksum = nil
    let otherPath = try scratch.write(Array(try other.archive().dropLast(30)), to: "other.zip")

    let partial = try await repair(path) { $0.library = library.path }
    #expect(partial.restored.map(\.item) == ["photo 2 “second photo” in “Family”"])
    #expect(partial.unrecoverable.count == 1)
    let summary = try await repair(path) {
      $0.library = library.path
      $0.others = [otherPath]
    }
    #expect(summary.restored.count == 2)
    #expect(summary.unrecoverable == [])
    #expect(Array(summary.damagedArchives.keys) == [otherPath])
    #expect(summary.archive?.lastComponent?.string == "bad.repaired-2.zip")
    let repaired = try WrittenBackup.intact(summary.archive)
    #expect(repaired.photos == backup.photos)
    #expect(repaired.metadata.smilepile == nil)
  }

  @Test("Repair: a corrupt photo is taken from another entry with its content")
  func otherEntry() async throws {
    var backup = SampleBackup(photos: ["a", "b"])
    backup.add(id: 3, name: "c", bytes: backup.photos[1] ?? [])
    backup.members[0] = .stored("photos/1_a.jpg", "x")
    let summary = try await repair(try backup.write(to: scratch))
    #expect(summary.restored.map(\.item) == ["photo 1 “a” in “Family”"])
    #expect(summary.unrecoverable == [])
    #expect(try WrittenBackup(try #require(summary.archive)).photos == backup.photos)
  }

  @Test("Repair: a corrupt photo of the library is not used")
  func corruptLibraryPhoto() async throws {
    let (backup, path) = try damagedBackup()
    let library = try SampleLibrary(
      [.init(id: 77, fileName: "x.jpg", bytes: backup.photos[2] ?? [])], categories: [.sample(1, "x")])
    let photo = try #require(try library.contents.photos.first)
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: library.file(of: photo).string))
    let summary = try await repair(path) { $0.library = library.path }
    #expect(summary.restored == [])
    #expect(summary.unrecoverable.count == 2)
  }

  @Test("Repair: an existing file is not overwritten")
  func existingDestination() async throws {
    let (_, path) = try damagedBackup()
    let taken = try scratch.write([1], to: "taken.zip")
    await #expect(throws: BackupError.self) { try await repair(path) { $0.destination = taken } }
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: taken.string))) == [1])
    let folder = try scratch.makeFolder("elsewhere")
    let summary = try await repair(path) { $0.destination = folder }
    #expect(summary.archive == folder.appending("bad.repaired.zip"))
  }

  /// The CRC matches and the MD5 does not if the photo changed before it was packed.
  @Test(
    "Repair: a photo that differs from the MD5 of the manifest is kept and reported, if no source has the other bytes"
  )
  func differentMD5() async throws {
    var backup = SampleBackup(photos: ["a", "b"])
    let right = backup.photos[2] ?? []
    backup.members[1] = .stored("photos/2_b.jpg", "x")
    let path = try backup.write(to: scratch)
    let summary = try await repair(path)
    #expect(summary.unrecoverable == [])
    #expect(summary.contradicted.map(\.item) == ["photo 2 “b” in “Family”"])
    #expect(summary.isIncomplete)
    #expect(summary.faults == [])
    let kept = try WrittenBackup.intact(summary.archive)
    #expect(kept.photos == [1: Array("a".utf8), 2: Array("x".utf8)])
    let other = try SampleBackup(photos: ["b"]).write(to: scratch, as: "other.zip")
    let copy = try backup.write(to: scratch, as: "copy.zip")
    let restored = try await repair(path) { $0.others = [copy, other] }
    #expect(restored.unrecoverable == [])
    #expect(Array(restored.damagedArchives.keys) == [copy])
    #expect(try WrittenBackup(try #require(restored.archive)).photos[2] == right)
  }

  @Test(
    "Repair: a photo that the metadata does not list is recovered into “Rescued”", arguments: [false, true])
  func unlistedPhoto(isInManifest: Bool) async throws {
    var backup = SampleBackup(photos: ["a", "b", "c"])
    backup.metadata.photos.remove(at: 1)
    if !isInManifest { backup.metadata.photoManifest.remove(at: 1) }
    let summary = try await repair(try backup.write(to: scratch))
    #expect(summary.unrecoverable == [])
    #expect(summary.faults.count == 1)
    let repaired = try WrittenBackup.intact(summary.archive)
    #expect(Set(repaired.photos.values) == Set(backup.photos.values))
    #expect(try await repair(try #require(summary.archive)).isIntact)
  }

  @Test("Repair: an error without anything to recover does not advise to repair")
  func nothingToRecover() async throws {
    let bytes = Array(try SampleBackup(photos: ["a"]).archive()[..<20])
    let path = try scratch.write(bytes, to: "start.zip")
    let error = await #expect(throws: BackupError.self) { try await repair(path) }
    #expect(error?.description.hasSuffix("nothing in it can be recovered") == true)
    #expect(error?.remedy == nil)
  }

  @Test("Repair: cancellation and errors leave no partial file")
  func failure() async throws {
    let (_, path) = try damagedBackup()
    let before = try names()
    let work = Work.repair(path, options: RewriteOptions())
    work.cancel()
    _ = try? await work.summary
    await #expect(throws: (any Error).self) { try await repair(path) { $0.library = "/nowhere" } }
    #expect(try names().allSatisfy { before.contains($0) || $0 == "bad.repaired.zip" })
  }
}
