import ArchiveCatalog
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// `flatten`: writes a full archive with the content of a chain, and leaves the chain unchanged.
@Suite struct FlattenTests {
  private static let password: Secret = "a long enough password"

  private func flatten(
    _ path: FilePath, configure: (inout RewriteOptions) -> Void = { _ in }
  ) async throws -> RewriteSummary {
    var options = RewriteOptions()
    configure(&options)
    return try await Work.flatten(path, options: options).summary
  }

  @Test("Flatten: the full archive has the content and the tags of the newest archive", arguments: 0..<4)
  func chainContent(_ seed: Int) async throws {
    let isEncrypted = seed % 2 == 1
    let history = try LibraryHistory(seed: UInt64(200 + seed), photos: 6)
    try history.library.change(adding: [.init(id: 800, fileName: "empty.jpg", bytes: [])])
    for _ in 0..<4 {
      try await history.export {
        $0.tags = ["night"]
        $0.password = isEncrypted ? Self.password : nil
      }
      try await history.changeAtRandom()
      try history.add(1)
    }
    let newest = history.archives[3]
    let before = try FolderTree(history.folder.path)
    let scratch = ScratchFolder()
    let summary = try await flatten(newest) {
      $0.destination = scratch.path.appending("flat.zip")
      $0.password = isEncrypted ? Self.password : nil
    }
    #expect(summary.chain == Array(history.archives.reversed()))
    #expect(!summary.isIncomplete)
    expectNone(try FolderTree(history.folder.path).differences(from: before))
    let secret = isEncrypted ? Self.password : nil
    let (written, old) = (
      try WrittenBackup(try #require(summary.archive), password: secret),
      try WrittenBackup(newest, password: secret)
    )
    expectNone(try written.faults())
    #expect(try OpenedBackup(path: written.path, password: secret).isEncrypted == isEncrypted)
    let (new, was) = (try #require(written.metadata.smilepile), try #require(old.metadata.smilepile))
    #expect(new.fingerprint == was.fingerprint)
    #expect(new.tags == ["night"])
    #expect(new.increment == nil)
    #expect(!new.isPartial)
    #expect(new.uuid != was.uuid)
    #expect(new.flattenedFrom == was.uuid)
    #expect(written.metadata.exportDate == old.metadata.exportDate)
    // Without the chain, it restores the library of that export.
    let copy = try SampleLibrary()
    try await copy.importing(written.path) {
      $0.password = secret
      $0.strategy = .replace
    }
    #expect(try LibraryContent(copy) == history.exports[3].content)
    // A full export of that library has the same content.
    let full = try await copy.exporting(to: scratch.path.appending("again.zip")) { $0.password = secret }
    let again = try WrittenBackup(try #require(full.archive), password: secret)
    #expect(again.photos == written.photos)
    #expect(again.names == written.names)
    #expect(again.metadata.photos == written.metadata.photos)
  }

  @Test("Flatten: the next incremental backup depends on the flattened archive")
  func nextBackup() async throws {
    let history = try LibraryHistory(seed: 210, photos: 5)
    try await history.export()
    try await history.export()
    let flat = try await flatten(history.archives[1])
    #expect(flat.archive?.lastComponent?.string.hasSuffix(".full.zip") == true)
    for archive in history.archives { try FileManager.default.removeItem(atPath: archive.string) }
    let next = try await history.export()
    #expect(next.increment?.basePath == flat.archive)
    #expect(next.increment?.chainDepth == 1)
    #expect(next.bytes == 0)
    let copy = try await SampleLibrary.importing([try #require(next.archive)])
    #expect(try LibraryContent(copy) == LibraryContent(history.library))
  }

  @Test("Flatten: nothing is written for a full archive")
  func fullArchive() async throws {
    let history = try LibraryHistory(seed: 211, photos: 3)
    try await history.export()
    let summary = try await flatten(history.archives[0])
    #expect(summary.archive == nil)
    #expect(summary.chain == history.archives)
    #expect(try FolderTree(history.folder.path).fileNames.count == 1)
  }

  @Test("Flatten: a missing base is an error with its archive ID, and nothing is written")
  func missingBase() async throws {
    let history = try LibraryHistory(seed: 212, photos: 3)
    try await history.export()
    try await history.export()
    let uuid = try WrittenBackup(history.archives[0]).metadata.smilepile?.uuid ?? ""
    try FileManager.default.removeItem(atPath: history.archives[0].string)
    let error = await #expect(throws: BackupError.self) { _ = try await flatten(history.archives[1]) }
    #expect(error?.description.contains(uuid) == true)
    #expect(try FolderTree(history.folder.path).fileNames.count == 1)
  }

  /// Makes a full archive with two photos, the first of them corrupt, and an incremental archive.
  private func historyWithCorruptPhoto() async throws -> LibraryHistory {
    let history = try LibraryHistory(seed: 213)
    try history.library.change(adding: [
      .init(id: 1, name: "bad", fileName: "1.jpg", bytes: Array(repeating: 1, count: 3000)),
      .init(id: 2, fileName: "2.jpg", bytes: Array(repeating: 2, count: 3000)),
    ])
    try await history.export()
    try await history.export()
    let archive = try Archive(path: history.archives[0])
    let url = URL(fileURLWithPath: archive.path.string)
    var bytes = try Data(contentsOf: url)
    bytes[archive.entries[0].dataOffset + 5] ^= 1
    try bytes.write(to: url)
    return history
  }

  @Test("Flatten: a corrupt photo is reported and left out")
  func corruptPhoto() async throws {
    let history = try await historyWithCorruptPhoto()
    let summary = try await flatten(history.archives[1])
    #expect(summary.unrecoverable.map(\.item) == ["photo 1 “bad” in “Family”"])
    #expect(summary.isIncomplete)
    let written = try WrittenBackup(try #require(summary.archive))
    #expect(written.photos.keys.sorted() == [2])
    #expect(written.metadata.photos.map(\.id) == [1, 2])
    #expect(written.metadata.smilepile?.isPartial == true)
  }

  @Test("Flatten: a corrupt photo makes only the archive with its file suspect")
  func suspectArchive() async throws {
    let history = try await historyWithCorruptPhoto()
    let ledger = Ledger()
    _ = try await flatten(history.archives[1]) { $0.ledger = ledger }
    let files = try history.archives.map { try #require(ArchiveFile(at: $0)) }
    #expect(ledger.health(of: files).map(\.isSuspect) == [true, false])
  }

  /// Another program can edit an incremental archive and omit the MD5 of its photos.
  @Test("Flatten: a photo without a checksum is included")
  func missingChecksum() async throws {
    let history = try LibraryHistory(seed: 216, photos: 3)
    try await history.export()
    try history.library.change(adding: [.init(id: 900, name: "new", fileName: "n.jpg", bytes: [1, 2, 3])])
    try await history.export()
    let newest = history.archives[1]
    let written = try WrittenBackup(newest)
    var metadata = written.metadata
    for index in metadata.photoManifest.indices { metadata.photoManifest[index].checksum = nil }
    let photos = written.entries.filter { $0.key.hasPrefix("photos/") }
    let members =
      [.stored("metadata.json", String(decoding: metadata.json(), as: UTF8.self))]
      + photos.map { ZipMember.stored($0.key, String(decoding: $0.value, as: UTF8.self)) }
    try Data(ZipBuilder(members).bytes).write(to: URL(fileURLWithPath: newest.string))
    let summary = try await flatten(newest)
    #expect(!summary.isIncomplete)
    #expect(try WrittenBackup(try #require(summary.archive)).photos[900] == [1, 2, 3])
  }

  @Test("Flatten: existing files are not overwritten, and cancellation leaves no file")
  func existingFiles() async throws {
    let history = try LibraryHistory(seed: 214, photos: 3)
    try await history.export()
    try await history.export()
    let taken = try history.folder.write([1], to: "taken.zip")
    await #expect(throws: BackupError.self) {
      _ = try await flatten(history.archives[1]) { $0.destination = taken }
    }
    let names = try FolderTree(history.folder.path).fileNames
    let work = Work.flatten(history.archives[1])
    work.cancel()
    if (try? await work.summary) == nil { #expect(try FolderTree(history.folder.path).fileNames == names) }
    let (one, two) = (try await flatten(history.archives[1]), try await flatten(history.archives[1]))
    #expect(one.archive != two.archive)
    #expect(two.archive != nil)
  }

  /// The photo is larger than a buffer.
  @Test("Flatten: a photo of 3 MB in an encrypted chain is copied unchanged")
  func largePhoto() async throws {
    let history = try LibraryHistory(seed: 215)
    let bytes = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try history.library.change(adding: [.init(id: 1, fileName: "1.jpg", bytes: bytes)])
    for _ in 0..<2 { try await history.export { $0.password = Self.password } }
    let summary = try await flatten(history.archives[1]) { $0.password = Self.password }
    let written = try WrittenBackup(try #require(summary.archive), password: Self.password)
    #expect(written.photos == [1: bytes])
  }
}
