import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Chains with missing, corrupt, replaced or renamed archives.
@Suite struct ChainTests {
  private static let password: Secret = "a long enough password"

  /// A full archive and two incremental archives, each with one new photo.
  private func history(
    photoBytes: Int = 500, configure: (inout ExportOptions) -> Void = { _ in }
  ) async throws -> LibraryHistory {
    let history = try LibraryHistory(seed: 1)
    for id in 1...3 as ClosedRange<Int64> {
      try history.library.change(adding: [
        .init(
          id: id, name: "n\(id)", fileName: "\(id).jpg", bytes: Array(repeating: UInt8(id), count: photoBytes)
        )
      ])
      try await history.export(configure: configure)
    }
    return history
  }

  private func names(of history: LibraryHistory) throws -> [String] {
    try FolderTree(history.folder.path).fileNames
  }

  @Test("Inventory: the ledger keeps the chains of encrypted archives for calls without a password")
  func encryptedDescriptors() async throws {
    let history = try await history { $0.password = Self.password }
    let folder = history.folder.path
    #expect(try ArchiveInventory(folder: folder).archives.allSatisfy { $0.archiveID == nil })

    let ledger = Ledger()
    let known = try ArchiveInventory(folder: folder, password: Self.password, ledger: ledger)
    // A folder on a disk that is not mounted is empty.
    let away = try scratch.makeFolder("away").appending("disk")
    try FileManager.default.moveItem(atPath: folder.string, toPath: away.string)
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
    #expect(try ArchiveInventory(folder: folder, ledger: ledger).archives.isEmpty)
    try FileManager.default.removeItem(atPath: folder.string)
    try FileManager.default.moveItem(atPath: away.string, toPath: folder.string)

    let locked = try ArchiveInventory(folder: folder, ledger: ledger)
    #expect(locked.archives.map(\.archiveID) == known.archives.map(\.archiveID))
    #expect(locked.archives.map(\.base) == known.archives.map(\.base))
    #expect(locked.archives.count { $0.isLocked } == 3)
  }

  @Test("Import: without its base, an incremental archive yields only its own photos")
  func missingBase() async throws {
    let history = try await history()
    let (full, middle, newest) = (history.archives[0], history.archives[1], history.archives[2])
    let uuid = try #require(try WrittenBackup(middle).metadata.smilepile?.uuid)
    let away = try scratch.makeFolder("away")
    let moved = away.appending("m.zip")
    try FileManager.default.moveItem(atPath: middle.string, toPath: moved.string)

    let copy = try SampleLibrary()
    let alone = try await copy.importing(newest)
    #expect(alone.photosImported == 1)
    #expect(alone.photosNotImported == 2)
    #expect(alone.isIncomplete)
    #expect(alone.errors == [])
    #expect(alone.warnings.allSatisfy { $0.contains("its file is in the base, archive \(uuid)") })
    #expect(alone.warnings.contains { $0.hasPrefix("photo 1 “n1” in “Family”") })
    #expect(try copy.contents.photos.map(\.id) == [3])
    let tree = try copy.tree
    let error = await #expect(throws: BackupError.self) {
      _ = try await copy.importing(newest) { $0.strategy = .replace }
    }
    #expect(error?.description.contains(uuid) == true)
    expectNone(try copy.tree.differences(from: tree))

    // The other archives may be in another folder if the caller passes their paths.
    let complete = try SampleLibrary()
    let summary = try await complete.importing(newest, moved, full) { $0.strategy = .replace }
    #expect(summary.photosImported == 3)
    #expect(!summary.isIncomplete)
    #expect(try LibraryContent(complete) == history.exports[2].content)
  }

  private let scratch = ScratchFolder()

  @Test("Import: if the base is missing, the rest of the chain is imported")
  func incompleteChain() async throws {
    let history = try await history()
    try FileManager.default.removeItem(atPath: history.archives[0].string)
    let copy = try SampleLibrary()
    let summary = try await copy.importing(history.archives[2])
    #expect(summary.photosImported == 2)
    #expect(summary.photosNotImported == 1)
    #expect(try copy.contents.photos.map(\.id) == [2, 3])
    // The original library has all photos: none is missing.
    let full = try await history.library.importing(history.archives[2])
    #expect(full.photosSkipped == 3)
    #expect(!full.isIncomplete)
  }

  /// A read error does not mean that the base is missing.
  @Test("Chain: a read error of the base is reported by import, extract and flatten")
  func unreadableBase() async throws {
    let history = try await history()
    let base = try #require(history.archives[0].realPath)
    let fault = ArmedFault(.error(.ioError), of: [.open], persists: true, below: base)
    defer { fault.disarm() }
    let copy = try SampleLibrary()
    let imported = try await copy.importing(history.archives[2])
    #expect(imported.photosNotImported == 1)
    #expect(imported.warnings.contains { $0.contains("(errno 5)") })
    let extracted = try await Work.extract(history.archives[2], to: scratch.path.appending("out")).summary
    #expect(extracted.filesWritten == 2)
    #expect(extracted.warnings.contains { $0.contains("(errno 5)") })
    await #expect(throws: FileError.self) { _ = try await Work.flatten(history.archives[2]).summary }
  }

  /// Many rows of an incremental archive can share a file of its base. Each row gets a copy.
  @Test("Chain: the limit of bytes applies to the photos of all archives together")
  func byteLimit() async throws {
    let history = try await history(photoBytes: 20_000)
    var limits = Limits()
    limits.maximumBytes = 40_000
    var (extract, flatten) = (ExtractOptions(), RewriteOptions())
    (extract.limits, flatten.limits) = (limits, limits)
    let (newest, out) = (history.archives[2], scratch.path.appending("out"))
    await #expect(throws: BackupError.self) {
      _ = try await Work.extract(newest, to: out, options: extract).summary
    }
    await #expect(throws: BackupError.self) {
      _ = try await Work.flatten(newest, options: flatten).summary
    }
    let copy = try SampleLibrary()
    await #expect(throws: BackupError.self) { _ = try await copy.importing(newest) { $0.limits = limits } }
  }

  @Test("Chain: archives are found whatever their file names are")
  func fileNames() async throws {
    let history = try await history()
    for (index, archive) in history.archives.enumerated() {
      let name = history.folder.path.appending(["z", "k.bin", "a.smilepile"][index])
      try FileManager.default.moveItem(atPath: archive.string, toPath: name.string)
    }
    try history.folder.write("no archive", to: "a.txt")
    try history.folder.write("PK\u{3}\u{4} nor this one", to: "b.zip")
    let copy = try await SampleLibrary.importing([history.folder.path.appending("a.smilepile")])
    #expect(try LibraryContent(copy) == history.exports[2].content)
    let next = try await history.export()
    #expect(next.increment?.chainDepth == 3)
    #expect(next.bytes == 0)
  }

  /// The archive has the ID of the base, but another `metadata.json`: another program has rewritten it.
  @Test("Chain: an archive with the ID of the base but other metadata is not the base")
  func rewrittenBase() async throws {
    let history = try await history()
    let full = history.archives[0]
    let written = try WrittenBackup(full)
    var metadata = written.metadata
    metadata.photos[0].name = "other"
    let members = written.photos.values.map {
      ZipMember.stored("photos/1_1.jpg", String(decoding: $0, as: UTF8.self))
    }
    let json = String(decoding: metadata.json(), as: UTF8.self)
    let bytes = ZipBuilder([.stored("metadata.json", json)] + members).bytes
    try Data(bytes).write(to: URL(fileURLWithPath: full.string))
    #expect(try OpenedBackup(path: full).photoFiles == 1)

    let copy = try SampleLibrary()
    let summary = try await copy.importing(history.archives[2])
    #expect(summary.photosNotImported == 1)
    #expect(summary.photosImported == 2)
    // The rewritten archive has the library ID, so that a new chain begins with it. The old chain is not
    // continued.
    let next = try await history.export()
    #expect(next.increment?.basePath == full)
    #expect(next.increment?.chainDepth == 1)
  }

  @Test("Import: several archives of a chain are imported as one, in any order")
  func archivesOfOneChain() async throws {
    let history = try await history()
    var random = SeededNumbers(seed: 5)
    for _ in 0..<4 {
      let copy = try SampleLibrary()
      let paths = history.archives.shuffled(using: &random)
      let summary = try await Work.import(paths, into: copy.path).summary
      #expect(summary.photosImported == 3)
      #expect(summary.photosSkipped == 0)
      #expect(!summary.isIncomplete)
      #expect(try LibraryContent(copy) == history.exports[2].content)
    }
    // A dry run has the same summary.
    let copy = try SampleLibrary()
    var options = ImportOptions()
    options.isDryRun = true
    let dry = try await Work.import(history.archives, into: copy.path, options: options).summary
    #expect(dry.photosImported == 3)
    #expect(dry.photosSkipped == 0)
  }

  @Test("Import: a corrupt photo in the base is reported and the others are imported")
  func corruptPhoto() async throws {
    let history = try await history()
    let archive = try Archive(path: history.archives[0])
    let entry = try #require(archive.entries.first { $0.name.hasPrefix("photos/") })
    let url = URL(fileURLWithPath: archive.path.string)
    var bytes = try Data(contentsOf: url)
    bytes[entry.dataOffset + 5] ^= 1
    try bytes.write(to: url)
    let copy = try SampleLibrary()
    let summary = try await copy.importing(history.archives[2])
    #expect(summary.errors.map(\.item) == ["photo 1 “n1” in “Family”"])
    #expect(summary.photosImported == 2)
    await #expect(throws: BackupError.self) {
      _ = try await copy.importing(history.archives[2]) { $0.strategy = .replace }
    }
    expectNone(try copy.faults())
  }

  @Test("Incremental backup: the base of an encrypted archive has the same password")
  func encryptedChain() async throws {
    let history = try await history { $0.password = Self.password }
    #expect(history.exports.map { $0.summary.increment?.chainDepth } == [nil, 1, 2])
    let copy = try SampleLibrary()
    try await copy.importing(history.archives[2]) { $0.password = Self.password }
    #expect(try LibraryContent(copy) == history.exports[2].content)
    await #expect(throws: BackupError.self) { _ = try await copy.importing(history.archives[2]) }
    // An unencrypted archive, or one with another password, does not depend on it.
    #expect(try await history.export().increment == nil)
    let other = try await history.export { $0.password = "another good password" }
    #expect(other.increment == nil)
    let same = try await history.export { $0.password = Self.password }
    #expect(same.increment?.basePath == history.archives[2])
  }

  @Test("Incremental backup: if the newest archive is truncated, the previous one is the base")
  func truncatedArchive() async throws {
    let history = try await history()
    let newest = URL(fileURLWithPath: history.archives[2].string)
    try Data(contentsOf: newest).dropLast(40).write(to: newest)
    let next = try await history.export()
    #expect(next.increment?.basePath == history.archives[1])
    #expect(next.increment?.chainDepth == 2)
    let copy = try await SampleLibrary.importing([try #require(next.archive)])
    #expect(try LibraryContent(copy) == history.exports[2].content)
  }

  @Test("Incremental backup: a full archive is written if the base of the chain is missing")
  func brokenChain() async throws {
    let history = try await history()
    try FileManager.default.removeItem(atPath: history.archives[0].string)
    let next = try await history.export()
    #expect(next.increment == nil)
    #expect(next.reasonForFullArchive?.contains("missing from its folder") == true)
    #expect(next.photos == 3)
    #expect(next.bytes == 1500)
  }

  @Test("Verify: an incremental archive is verified without its base, with a warning")
  func verification() async throws {
    let history = try await history()
    let summary = try await Work.verify([history.archives[2]]).summary
    #expect(summary.damaged == [])
    #expect(summary.entriesChecked == 3)
    try #require(summary.warnings.count == 1)
    #expect(summary.warnings[0].contains("the archive depends on archive"))
    #expect(summary.warnings[0].contains("2 of its photos"))
  }

  @Test("Repair: a repaired incremental archive still depends on its base")
  func repairedIncrement() async throws {
    let history = try await history()
    let newest = URL(fileURLWithPath: history.archives[2].string)
    let intact = try WrittenBackup(history.archives[2])
    let directory =
      try Archive(path: intact.path).entries.map { $0.dataOffset + $0.compressedSize }.max() ?? 0
    try Data(contentsOf: newest).prefix(directory).write(to: newest)
    let repaired = try await Work.repair(history.archives[2]).summary
    let written = try WrittenBackup(try #require(repaired.archive))
    #expect(written.metadata == intact.metadata)
    let copy = try await SampleLibrary.importing([written.path])
    #expect(try LibraryContent(copy) == history.exports[2].content)
  }

  @Test("Metadata: encoding and decoding the provenance yields equal values")
  func provenanceRoundTrip() throws {
    var metadata = SampleBackup(photos: ["a"]).metadata
    var provenance = Metadata.Provenance(uuid: "u", isPartial: false, includesSettings: true)
    (provenance.selection, provenance.flattenedFrom, provenance.repairedFrom) = ("s", "f", ["r", "é"])
    var increment = Metadata.Increment(baseID: "b", baseDigest: "d", chainDepth: 3)
    increment.filesStoredInBase = [.init(photoId: 1, originalPath: "é", fileSize: 5, checksum: "c")]
    provenance.increment = increment
    provenance.isPartiallyRecovered = true
    metadata.smilepile = provenance
    #expect(try Metadata(json: metadata.json()) == metadata)
  }
}
