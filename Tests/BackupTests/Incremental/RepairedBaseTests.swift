import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Increments whose base was repaired, and so has another `metadata.json` than the one that they name.
struct RepairedBaseTests {
  private let scratch: ScratchFolder
  private let library: SampleLibrary
  private let base: FilePath
  private let increment: FilePath

  /// A base in which photo 2 is as it was in the library, damaged, and an increment with a photo of its own and photo 2.
  init() async throws {
    scratch = try ScratchFolder()
    library = try SampleLibrary(
      (1...4).map { .init(id: $0, fileName: "\($0).jpg", bytes: Array(repeating: UInt8($0), count: 900)) },
      categories: [.sample(1, "family")])
    let file = library.path.appending(try #require(library.contents.photos.first { $0.id == 2 }).path)
    let (whole, folder) = (try Data(contentsOf: URL(fileURLWithPath: file.string)), scratch.path)
    var options = ExportOptions()
    options.isIncremental = true
    options.date = Date(timeIntervalSince1970: 1_000_000)
    try Data(repeating: 99, count: 900).write(to: URL(fileURLWithPath: file.string))
    base = try #require(
      try await Work.export(library.path, to: folder.appending("base.zip"), options: options).summary.archive)
    try whole.write(to: URL(fileURLWithPath: file.string))
    try library.change(adding: [.init(id: 5, fileName: "5.jpg", bytes: Array(repeating: 5, count: 900))])
    options.date = Date(timeIntervalSince1970: 2_000_000)
    let summary = try await Work.export(library.path, to: folder.appending("inc.zip"), options: options)
      .summary
    increment = try #require(summary.archive)
    try #require(summary.increment?.held == 3 && !summary.isIncomplete)
  }

  /// Flips a byte of a photo in the base.
  private func damage(_ id: Int64) throws {
    let archive = try OpenedBackup(path: base)
    let photo = try #require(archive.photos.first { $0.record.id == id })
    let entry = try #require(photo.location.ownEntry).entry
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: base.string)))
    bytes[entry.headerOffset + 60] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: base.string))
  }

  private func repair(_ configure: (inout RepairOptions) -> Void = { _ in }) async throws -> FilePath {
    var options = RepairOptions()
    configure(&options)
    let summary = try await Work.repair(base, options: options).summary
    return try #require(summary.archive)
  }

  private func imported() async throws -> ImportSummary { try await SampleLibrary().importing(increment) }

  @Test(arguments: [true, false]) func aRepairedBaseServesItsChain(isOldThere: Bool) async throws {
    try damage(1)
    let path = library.path
    let repaired = try await repair { $0.library = path }
    // photo 2 is whole there, and the metadata are others
    let source = try OpenedBackup(path: repaired)
    #expect(source.damagedBefore.isEmpty && source.metadata.smilepile?.repairedFrom.count == 1)
    if !isOldThere { try FileManager.default.removeItem(atPath: base.string) }
    let summary = try await imported()
    #expect(summary.photosImported == 5 && !summary.isIncomplete)
    let flat = try await Work.flatten(increment).summary
    #expect(
      flat.photos == 5 && !flat.isIncomplete
        && flat.chain == [increment, repaired] + (isOldThere ? [base] : []))
    let catalog = try ArchiveInventory(folder: scratch.path)
    let record = try #require(catalog.archives.first { $0.path.hasSuffix("/inc.zip") })
    #expect(try catalog.chain(of: record).map(\.name) == ["base.repaired.zip"])
    // all of them named: what is rested on is not imported besides
    let copy = try SampleLibrary()
    let together =
      try await isOldThere
      ? copy.importing(repaired, increment, base) : copy.importing(repaired, increment)
    #expect(together.photosImported == 5 && together.photosSkipped == 0 && !together.isIncomplete)
  }

  /// Where the whole base has come back, what was repaired without it does not stand in its way.
  @Test func theWholeBaseSuppliesWhatItsRepairLacks() async throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: base.string))
    try damage(1)
    _ = try await repair()
    try whole.write(to: URL(fileURLWithPath: base.string))
    // it was there before
    try #require(utimes(base.string, [timeval(), timeval()]) == 0)
    let summary = try await imported()
    #expect(summary.photosImported == 5 && !summary.isIncomplete)
  }

  /// What is left of a base is left to its chain too, though the rest is lost.
  @Test func aBaseOfWhichAPhotoIsLostServesWithTheOthers() async throws {
    try damage(1)
    let repaired = try await repair()
    try FileManager.default.removeItem(atPath: base.string)
    let summary = try await imported()
    #expect(summary.photosImported == 4 && summary.photosAbsent == 1)
    let flat = try await Work.flatten(increment).summary
    #expect(flat.photos == 4 && flat.lost.count == 1)
    // no decision of a job rests on it
    let catalog = try ArchiveInventory(folder: scratch.path)
    let record = try #require(catalog.archives.first { $0.path.hasSuffix("/inc.zip") })
    let error = #expect(throws: BrokenChain.self) { try catalog.chain(of: record) }
    #expect(error?.description.contains("base.repaired.zip is a partial recovery") == true)
    // nor an increment, which prune would know as one whose base is gone
    var options = ExportOptions()
    options.isIncremental = true
    let next = try await Work.export(library.path, to: scratch.path.appending("next.zip"), options: options)
      .summary
    #expect(next.increment == nil && next.photos == 5)
    try FileManager.default.removeItem(atPath: scratch.path.appending("next.zip").string)
    // and again, when it has rotten itself
    try FileManager.default.moveItem(atPath: repaired.string, toPath: base.string)
    try damage(3)
    let again = try await repair()
    try FileManager.default.removeItem(atPath: base.string)
    #expect(try OpenedBackup(path: again).metadata.smilepile?.repairedFrom.count == 2)
    #expect(try await imported().photosImported == 3)
  }

  /// Another archive of that number is none that the increment rests on.
  @Test func whatWasNotRepairedFromItDoesNotStandForIt() async throws {
    let digest = try #require(try OpenedBackup(path: base).metadataDigest).description
    let other = try WrittenBackup(base).metadata
    let uuid = try #require(other.smilepile?.uuid)
    var source = try OpenedBackup(path: base)
    #expect(source.satisfies(.init(archiveID: uuid, digest: digest, depth: 1)))
    #expect(!source.satisfies(.init(archiveID: "another", digest: digest, depth: 1)))
    source = try OpenedBackup(path: increment)
    #expect(!source.satisfies(.init(archiveID: uuid, digest: digest, depth: 1)))
  }

  /// The list of checksums is made anew: nothing is lost with it.
  @Test func aTailThatIsCutInTheChecksumsLosesNothing() async throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: base.string)))
    let entry = try #require(Archive(path: base).entries.first { $0.name == "checksums.md5" })
    let before = try OpenedBackup(path: base).metadataDigest
    for cut in [entry.headerOffset + 10, entry.headerOffset + 60, entry.headerOffset + 100] {
      try Data(bytes[..<cut]).write(to: URL(fileURLWithPath: base.string))
      let summary = try await Work.repair(base).summary
      #expect(summary.lost == [] && !summary.isIncomplete && summary.photos == 4)
      let repaired = try #require(summary.archive)
      #expect(try OpenedBackup(path: repaired).metadataDigest == before)
      try FileManager.default.removeItem(atPath: repaired.string)
    }
  }
}
