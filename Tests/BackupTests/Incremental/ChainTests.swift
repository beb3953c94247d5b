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

/// Chains of which something is missing, or not what it seems; and how they are found.
@Suite struct ChainTests {
  private static let password: Secret = "a long enough password"

  /// A full archive and two increments, each with a photo of its own.
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

  @Test func withItsBaseGoneItComesAlone() async throws {
    let history = try await history()
    let (full, middle, newest) = (history.archives[0], history.archives[1], history.archives[2])
    let uuid = try #require(try WrittenBackup(middle).metadata.smilepile?.uuid)
    let away = try scratch.makeFolder("away")
    let moved = away.appending("m.zip")
    try FileManager.default.moveItem(atPath: middle.string, toPath: moved.string)

    let copy = try SampleLibrary()
    let alone = try await copy.importing(newest)
    #expect(alone.photosImported == 1 && alone.photosAbsent == 2 && alone.isIncomplete && alone.errors == [])
    #expect(alone.warnings.allSatisfy { $0.contains("its file is in the base, archive \(uuid)") })
    #expect(alone.warnings.contains { $0.hasPrefix("photo 1 “n1” in “Family”") })
    #expect(try copy.contents.photos.map(\.id) == [3])
    let tree = try copy.tree
    let error = await #expect(throws: BackupError.self) {
      _ = try await copy.importing(newest) { $0.strategy = .replace }
    }
    #expect(error?.description.contains(uuid) == true)
    expectNone(try copy.tree.differences(from: tree))

    // the rest of the chain may be anywhere, if it is named
    let whole = try SampleLibrary()
    let summary = try await whole.importing(newest, moved, full) { $0.strategy = .replace }
    #expect(summary.photosImported == 3 && !summary.isIncomplete)
    #expect(try LibraryContent(whole) == history.nights[2].content)
  }

  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test func whatIsThereOfAChainHelps() async throws {
    let history = try await history()
    try FileManager.default.removeItem(atPath: history.archives[0].string)
    let copy = try SampleLibrary()
    let summary = try await copy.importing(history.archives[2])
    #expect(summary.photosImported == 2 && summary.photosAbsent == 1)
    #expect(try copy.contents.photos.map(\.id) == [2, 3])
    // a library that holds the rest misses nothing
    let full = try await history.library.importing(history.archives[2])
    #expect(full.photosSkipped == 3 && !full.isIncomplete)
  }

  /// What the disk does not give is not the same as what is not there, and is said of each chain alike.
  @Test func whatCannotBeReadIsNamed() async throws {
    let history = try await history()
    let base = try #require(history.archives[0].realPath)
    let fault = ArmedFault(Fault(.error(.ioError), of: .only([.open]), persists: true, below: base))
    defer { fault.disarm() }
    let copy = try SampleLibrary()
    let imported = try await copy.importing(history.archives[2])
    #expect(imported.photosAbsent == 1 && imported.warnings.contains { $0.contains("(errno 5)") })
    let extracted = try await Work.extract(history.archives[2], to: scratch.path.appending("out")).summary
    #expect(extracted.filesWritten == 2 && extracted.warnings.contains { $0.contains("(errno 5)") })
    await #expect(throws: FileError.self) { _ = try await Work.flatten(history.archives[2]).summary }
  }

  /// Many rows of an increment may share one file of its base, and each gets a copy.
  @Test func aChainHasNoMoreBytesThanAreAskedFor() async throws {
    let history = try await history(photoBytes: 20_000)
    var limits = Limits()
    limits.maximumBytes = 40_000
    var (extract, flatten) = (ExtractOptions(), FlattenOptions())
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

  @Test func namesDoNotMatter() async throws {
    let history = try await history()
    for (index, archive) in history.archives.enumerated() {
      let name = history.folder.path.appending(["z", "k.bin", "a.smilepile"][index])
      try FileManager.default.moveItem(atPath: archive.string, toPath: name.string)
    }
    try history.folder.write(Array("no archive".utf8), to: "a.txt")
    try history.folder.write(Array("PK\u{3}\u{4} nor this one".utf8), to: "b.zip")
    let copy = try await SampleLibrary.importing([history.folder.path.appending("a.smilepile")])
    #expect(try LibraryContent(copy) == history.nights[2].content)
    let next = try await history.export()
    #expect(next.increment?.length == 3 && next.bytes == 0)
  }

  /// The number is the base's, and the document is not: somebody has made another archive of it.
  @Test func anotherArchiveOfTheSameNumberIsNoBase() async throws {
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
    #expect(summary.photosAbsent == 1 && summary.photosImported == 2)
    // of the full one, which is the library's by its number, a new chain could begin; the old one is not gone on with
    let next = try await history.export()
    #expect(next.increment?.archive == full && next.increment?.length == 1)
  }

  @Test func severalOfOneChainAreOneImport() async throws {
    let history = try await history()
    var random = SeededNumbers(seed: 5)
    for _ in 0..<4 {
      let copy = try SampleLibrary()
      let paths = history.archives.shuffled(using: &random)
      let summary = try await Work.import(paths, into: copy.path).summary
      #expect(summary.photosImported == 3 && summary.photosSkipped == 0 && !summary.isIncomplete)
      #expect(try LibraryContent(copy) == history.nights[2].content)
    }
    // a dry run says the same
    let copy = try SampleLibrary()
    var options = ImportOptions()
    options.isDryRun = true
    let dry = try await Work.import(history.archives, into: copy.path, options: options).summary
    #expect(dry.photosImported == 3 && dry.photosSkipped == 0)
  }

  @Test func aDamagedPhotoOfTheBaseIsNamed() async throws {
    let history = try await history()
    let archive = try Archive(path: history.archives[0])
    let entry = try #require(archive.entries.first { $0.name.hasPrefix("photos/") })
    let url = URL(fileURLWithPath: archive.path.string)
    var bytes = try Data(contentsOf: url)
    bytes[entry.dataOffset + 5] ^= 1
    try bytes.write(to: url)
    let copy = try SampleLibrary()
    let summary = try await copy.importing(history.archives[2])
    #expect(summary.errors.map(\.item) == ["photo 1 “n1” in “Family”"] && summary.photosImported == 2)
    await #expect(throws: BackupError.self) {
      _ = try await copy.importing(history.archives[2]) { $0.strategy = .replace }
    }
    expectNone(try copy.faults())
  }

  @Test func anEncryptedChain() async throws {
    let history = try await history { $0.password = Self.password }
    #expect(history.nights.map { $0.summary.increment?.length } == [nil, 1, 2])
    let copy = try SampleLibrary()
    try await copy.importing(history.archives[2]) { $0.password = Self.password }
    #expect(try LibraryContent(copy) == history.nights[2].content)
    await #expect(throws: BackupError.self) { _ = try await copy.importing(history.archives[2]) }
    // neither a plain archive nor one with another password rests on it
    #expect(try await history.export().increment == nil)
    let other = try await history.export { $0.password = "another good password" }
    #expect(other.increment == nil)
    let same = try await history.export { $0.password = Self.password }
    #expect(same.increment?.archive == history.archives[2])
  }

  /// The newest archive cannot be read: the one before it can.
  @Test func anUnreadableArchiveIsPassedOver() async throws {
    let history = try await history()
    let newest = URL(fileURLWithPath: history.archives[2].string)
    try Data(contentsOf: newest).dropLast(40).write(to: newest)
    let next = try await history.export()
    #expect(next.increment?.archive == history.archives[1] && next.increment?.length == 2)
    let copy = try await SampleLibrary.importing([try #require(next.archive)])
    #expect(try LibraryContent(copy) == history.nights[2].content)
  }

  @Test func whereTheChainIsBrokenAFullOneIsWritten() async throws {
    let history = try await history()
    try FileManager.default.removeItem(atPath: history.archives[0].string)
    let next = try await history.export()
    #expect(next.increment == nil && next.fullBecause?.contains("missing from its folder") == true)
    #expect(next.photos == 3 && next.bytes == 1500)
  }

  @Test func verifyReadsWhatIsInIt() async throws {
    let history = try await history()
    let summary = try await Work.verify([history.archives[2]]).summary
    #expect(summary.damaged == [] && summary.entriesChecked == 3)
    #expect(summary.warnings.count == 1 && summary.warnings[0].contains("it rests on archive"))
    #expect(summary.warnings[0].contains("2 photos"))
  }

  /// A repaired increment still says what its base holds.
  @Test func repairKeepsWhatItRestsOn() async throws {
    let history = try await history()
    let newest = URL(fileURLWithPath: history.archives[2].string)
    let whole = try WrittenBackup(history.archives[2])
    let directory = try Archive(path: whole.path).entries.map { $0.dataOffset + $0.compressedSize }.max() ?? 0
    try Data(contentsOf: newest).prefix(directory).write(to: newest)
    let repaired = try await Work.repair(history.archives[2]).summary
    let written = try WrittenBackup(try #require(repaired.archive))
    #expect(written.metadata == whole.metadata)
    let copy = try await SampleLibrary.importing([written.path])
    #expect(try LibraryContent(copy) == history.nights[2].content)
  }

  @Test func provenanceIsReadAsItIsWritten() throws {
    var metadata = SampleBackup(photos: ["a"]).metadata
    var provenance = Metadata.Provenance(uuid: "u", isPartial: false, includesSettings: true)
    (provenance.selection, provenance.flattenedFrom, provenance.repairedFrom) = ("s", "f", ["r", "é"])
    var increment = Metadata.Increment(base: "b", baseDigest: "d", length: 3)
    increment.held = [.init(photoId: 1, originalPath: "é", fileSize: 5, checksum: "c")]
    increment.deletions = [.init(category: "x", checksum: nil, assetPath: "y", at: 7)]
    provenance.increment = increment
    provenance.isRemnant = true
    metadata.smilepile = provenance
    #expect(try Metadata(json: metadata.json()) == metadata)
  }
}
