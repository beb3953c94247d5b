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

/// Incremental archives whose base was repaired: its `metadata.json` is no longer the one that they refer to.
struct RepairedBaseTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary
  private let base: FilePath
  private let increment: FilePath

  /// A base with photo 2 as it was in the library, corrupt, and an incremental archive with photo 2 and a new
  /// photo.
  init() async throws {
    library = try SampleLibrary(
      (1...4).map { .init(id: $0, fileName: "\($0).jpg", bytes: Array(repeating: UInt8($0), count: 900)) },
      categories: [.sample(1, "family")])
    let file = library.path.appending(try #require(library.contents.photos.first { $0.id == 2 }).path)
    let (intact, folder) = (try Data(contentsOf: URL(fileURLWithPath: file.string)), scratch.path)
    var options = ExportOptions()
    options.isIncremental = true
    options.date = Date(timeIntervalSince1970: 1_000_000)
    try Data(repeating: 99, count: 900).write(to: URL(fileURLWithPath: file.string))
    base = try #require(
      try await Work.export(library.path, to: folder.appending("base.zip"), options: options).summary.archive)
    try intact.write(to: URL(fileURLWithPath: file.string))
    try library.change(adding: [.init(id: 5, fileName: "5.jpg", bytes: Array(repeating: 5, count: 900))])
    options.date = Date(timeIntervalSince1970: 2_000_000)
    let summary = try await Work.export(library.path, to: folder.appending("inc.zip"), options: options)
      .summary
    increment = try #require(summary.archive)
    try #require(summary.increment?.photosStoredInBase == 3)
    try #require(!summary.isIncomplete)
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

  private func repair(_ configure: (inout RewriteOptions) -> Void = { _ in }) async throws -> FilePath {
    var options = RewriteOptions()
    configure(&options)
    let summary = try await Work.repair(base, options: options).summary
    return try #require(summary.archive)
  }

  private func imported() async throws -> ImportSummary { try await SampleLibrary().importing(increment) }

  @Test(
    "Chain: an incremental archive can depend on the repaired copy of its base",
    arguments: [true, false])
  func repairedBase(hasOriginal: Bool) async throws {
    try damage(1)
    let path = library.path
    let repaired = try await repair { $0.library = path }
    // Photo 2 is intact in the repaired copy, and the metadata differ.
    let source = try OpenedBackup(path: repaired)
    #expect(source.corruptBeforeBackup.isEmpty)
    #expect(source.metadata.smilepile?.repairedFrom.count == 1)
    if !hasOriginal { try FileManager.default.removeItem(atPath: base.string) }
    let summary = try await imported()
    #expect(summary.photosImported == 5)
    #expect(!summary.isIncomplete)
    let flat = try await Work.flatten(increment).summary
    #expect(flat.photos == 5)
    #expect(!flat.isIncomplete)
    let chain: [FilePath] = [increment, repaired] + (hasOriginal ? [base] : [])
    #expect(flat.chain == chain)
    let catalog = try ArchiveInventory(folder: scratch.path)
    let record = try #require(catalog.archives.first { $0.path.hasSuffix("/inc.zip") })
    #expect(try catalog.graph.chain(of: record).map(\.name) == ["base.repaired.zip"])
    // The caller passes all archives: the base is not imported a second time.
    let copy = try SampleLibrary()
    let together =
      try await hasOriginal
      ? copy.importing(repaired, increment, base) : copy.importing(repaired, increment)
    #expect(together.photosImported == 5)
    #expect(together.photosSkipped == 0)
    #expect(!together.isIncomplete)
  }

  /// The user restored the intact base after a repair without it. The repaired copy does not take precedence.
  @Test("Chain: photos missing in the repaired copy of a base are read from the intact base")
  func intactBase() async throws {
    let intact = try Data(contentsOf: URL(fileURLWithPath: base.string))
    try damage(1)
    _ = try await repair()
    try intact.write(to: URL(fileURLWithPath: base.string))
    // The base is older than its repaired copy.
    try #require(utimes(base.string, [timeval(), timeval()]) == 0)
    let summary = try await imported()
    #expect(summary.photosImported == 5)
    #expect(!summary.isIncomplete)
  }

  @Test("Chain: a partially recovered base provides its intact photos")
  func partiallyRecoveredBase() async throws {
    try damage(1)
    let repaired = try await repair()
    try FileManager.default.removeItem(atPath: base.string)
    let summary = try await imported()
    #expect(summary.photosImported == 4)
    #expect(summary.photosNotImported == 1)
    let flat = try await Work.flatten(increment).summary
    #expect(flat.photos == 4)
    #expect(flat.unrecoverable.count == 1)
    // A job must not rely on the base.
    let catalog = try ArchiveInventory(folder: scratch.path)
    let record = try #require(catalog.archives.first { $0.path.hasSuffix("/inc.zip") })
    let error = #expect(throws: BrokenChain.self) { try catalog.graph.chain(of: record) }
    #expect(error?.description.contains("base.repaired.zip is only partially recovered") == true)
    // No new archive depends on the base: prune would take the base for missing.
    var options = ExportOptions()
    options.isIncremental = true
    let next = try await Work.export(library.path, to: scratch.path.appending("next.zip"), options: options)
      .summary
    #expect(next.increment == nil)
    #expect(next.photos == 5)
    try FileManager.default.removeItem(atPath: scratch.path.appending("next.zip").string)
    // The repaired copy becomes corrupt and is repaired as well.
    try FileManager.default.moveItem(atPath: repaired.string, toPath: base.string)
    try damage(3)
    let again = try await repair()
    try FileManager.default.removeItem(atPath: base.string)
    #expect(try OpenedBackup(path: again).metadata.smilepile?.repairedFrom.count == 2)
    #expect(try await imported().photosImported == 3)
  }

  @Test("Chain: an archive with another ID does not satisfy a reference to the base")
  func otherArchive() async throws {
    let digest = try #require(try OpenedBackup(path: base).metadataDigest).description
    let other = try WrittenBackup(base).metadata
    let uuid = try #require(other.smilepile?.uuid)
    var source = try OpenedBackup(path: base)
    #expect(source.satisfies(.init(archiveID: uuid, digest: digest, depth: 1)))
    #expect(!source.satisfies(.init(archiveID: "another", digest: digest, depth: 1)))
    source = try OpenedBackup(path: increment)
    #expect(!source.satisfies(.init(archiveID: uuid, digest: digest, depth: 1)))
  }

  /// The repair computes the checksums again.
  @Test("Repair: an archive truncated in its checksums is completely recovered")
  func truncatedChecksums() async throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: base.string)))
    let entry = try #require(Archive(path: base).entries.first { $0.name == "checksums.md5" })
    let before = try OpenedBackup(path: base).metadataDigest
    for cut in [entry.headerOffset + 10, entry.headerOffset + 60, entry.headerOffset + 100] {
      try Data(bytes[..<cut]).write(to: URL(fileURLWithPath: base.string))
      let summary = try await Work.repair(base).summary
      #expect(summary.unrecoverable == [])
      #expect(!summary.isIncomplete)
      #expect(summary.photos == 4)
      let repaired = try #require(summary.archive)
      #expect(try OpenedBackup(path: repaired).metadataDigest == before)
      try FileManager.default.removeItem(atPath: repaired.string)
    }
  }
}
