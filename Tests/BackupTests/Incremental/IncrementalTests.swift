import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Incremental exports, and imports of their chains.
@Suite struct IncrementalTests {
  @Test("Incremental backup: the base is the last export, although it is dated in the future")
  func futureArchive() async throws {
    let history = try LibraryHistory(seed: 5, photos: 3)
    let folder = ScratchFolder()
    var options = ExportOptions()
    options.isIncremental = true
    func export(_ seconds: Double) async throws -> ExportSummary {
      options.date = Date(timeIntervalSince1970: seconds)
      return try await Work.export(history.library.path, to: folder.path, options: options).summary
    }
    #expect(try await export(900_000).increment == nil)
    #expect(try await export(100_000).increment?.chainDepth == 1)
    #expect(try await export(100_030).increment?.chainDepth == 2)
    #expect(try await export(900_030).increment?.chainDepth == 3)
  }

  @Test("Incremental backup: each archive of a chain restores the library at its time", arguments: 0..<12)
  func everyArchive(_ seed: Int) async throws {
    let history = try LibraryHistory(seed: UInt64(seed), photos: 6)
    for _ in 0..<7 {
      try await history.export { $0.maximumChainDepth = 3 + seed % 3 }
      try await history.changeAtRandom()
    }
    var lengths: [Int] = []
    for (summary, content) in history.exports {
      let archive = try #require(summary.archive)
      expectNone(try WrittenBackup(archive).faults())
      lengths.append(summary.increment?.chainDepth ?? 0)
      let copy = try SampleLibrary()
      let imported = try await copy.importing(archive)
      #expect(!imported.isIncomplete)
      #expect(imported.warnings == [])
      #expect(try LibraryContent(copy) == content)
      expectNone(try copy.faults())
      // The strategy `replace` yields the same content.
      try await copy.importing(archive) { $0.strategy = .replace }
      #expect(try LibraryContent(copy) == content)
    }
    let limit = 4 + seed % 3
    #expect(lengths == (0..<7).map { $0 % limit })
  }

  @Test("Incremental backup: the archive stores only new photos")
  func newPhotos() async throws {
    let history = try LibraryHistory(seed: 100, photos: 8)
    let full = try await history.export()
    #expect(full.reasonForFullArchive?.contains("first export of the library") == true)
    #expect(full.increment == nil)
    let nothing = try await history.export()
    #expect(nothing.bytes == 0)
    #expect(nothing.increment?.chainDepth == 1)
    #expect(nothing.reasonForFullArchive == nil)
    #expect(nothing.photos == full.photos)
    #expect(nothing.increment?.basePath == full.archive)
    let bytes = Array("something new".utf8)
    try history.library.change(adding: [.init(id: 900, fileName: "new.jpg", bytes: bytes)])
    let one = try await history.export()
    #expect(one.bytes == bytes.count)
    #expect(one.increment?.chainDepth == 2)
    let written = try WrittenBackup(try #require(one.archive))
    #expect(written.photos == [900: bytes])
    #expect(written.metadata.photos.count == full.photos + 1)
    #expect(written.names == ["photos/900_new.jpg", "metadata.json", "checksums.md5"])
  }

  /// A durable archive needs a durable base, and an earlier export may have written the base without fsync.
  @Test("Incremental backup: the export fsyncs its base and fails if fsync fails")
  func durableBase() async throws {
    let history = try LibraryHistory(seed: 101, photos: 2)
    let base = try #require(try await history.export { $0.syncs = false }.archive?.realPath)
    let fault = ArmedFault(.error(.ioError), of: [.sync], below: base)
    defer { fault.disarm() }
    await #expect(throws: FileError.self) { _ = try await history.export() }
    #expect(try await history.export { $0.syncs = false }.increment?.chainDepth == 1)
  }

  @Test("Find and diff: the results for an incremental archive are those for its base")
  func findAndDiff() async throws {
    let history = try LibraryHistory(seed: 103, photos: 8)
    var archives: [FilePath] = []
    for _ in 0..<2 { archives.append(try #require(try await history.export().archive)) }
    let sides = try archives.map { DiffSide(try OpenedBackup(path: $0)) }
    #expect(sides[0] == sides[1])
    func found(_ selection: PhotoSelection, in archive: FilePath) async throws -> [FoundPhoto] {
      try await Work.find(selection, in: [archive]).summary.photos
    }
    for photo in try history.library.contents.photos where !photo.isFromAssets {
      var byName = PhotoSelection()
      byName.names = [photo.fileName]
      var byDigest = PhotoSelection()
      byDigest.md5 = photo.md5
      for selection in [byName, byDigest] {
        let (full, increment) = try await (
          found(selection, in: archives[0]), found(selection, in: archives[1])
        )
        #expect(full.contains { ($0.record.id, $0.md5) == (photo.id, photo.md5) })
        #expect(full.map(\.record) == increment.map(\.record))
        #expect(full.map(\.fileName) == increment.map(\.fileName))
        #expect(full.map(\.md5) == increment.map(\.md5))
        #expect(full.map(\.size) == increment.map(\.size))
        #expect(full.allSatisfy { $0.place == .archive })
        #expect(increment.allSatisfy { $0.place == .base })
      }
    }
  }

  /// A job compares the fingerprints of full and incremental archives to see that nothing has changed.
  @Test("Content fingerprint: equal for full and incremental exports of a library")
  func fingerprint() async throws {
    let history = try LibraryHistory(seed: 101, photos: 8)
    try await history.export()
    try history.add(2)
    let increment = try await history.export()
    let full = try await history.library.exporting(to: history.folder.path.appending("full.zip"))
    let states = try [increment, full].map {
      try WrittenBackup(try #require($0.archive)).metadata.smilepile?.fingerprint
    }
    #expect(states[0] != nil)
    #expect(states[0] == states[1])
    // A missing file changes the fingerprint, even if the base stores the file.
    let photo = try #require(try history.library.contents.photos.first { !$0.isFromAssets })
    try FileManager.default.removeItem(atPath: history.library.file(of: photo).string)
    // `history.export()` would read the missing file.
    let later = try await history.library.exporting(to: history.folder.path) { $0.isIncremental = true }
    let laterFull = try await history.library.exporting(to: history.folder.path.appending("full2.zip"))
    let laterStates = try [later, laterFull].map {
      try WrittenBackup(try #require($0.archive)).metadata.smilepile?.fingerprint
    }
    #expect(laterStates[0] == laterStates[1])
    #expect(laterStates[0] != states[0])
  }

  @Test("Incremental backup: a file missing in the library stays stored in the base")
  func missingFile() async throws {
    let history = try LibraryHistory(seed: 102)
    try history.library.change(adding: [
      .init(id: 50, name: "gone", fileName: "a.jpg", bytes: [1, 2, 3]),
      .init(id: 51, fileName: "b.jpg", bytes: [4]),
    ])
    try await history.export()
    let content = try LibraryContent(history.library)
    let photo = try #require(try history.library.contents.photos.first { $0.id == 50 })
    try FileManager.default.removeItem(atPath: history.library.file(of: photo).string)
    let summary = try await history.library.exporting(to: history.folder.path) { $0.isIncremental = true }
    #expect(summary.isIncomplete)
    #expect(summary.increment?.photosStoredInBase == 2)
    #expect(summary.photos == 2)
    try #require(summary.missing.count == 1)
    #expect(summary.missing[0].message.contains("photo 50 “gone”"))
    #expect(summary.missing[0].message.contains("the base contains its file"))
    let copy = try await SampleLibrary.importing([try #require(summary.archive)])
    #expect(try LibraryContent(copy) == content)
    // The import restores the file in the original library.
    let restored = try await history.library.importing(try #require(summary.archive))
    #expect(restored.photoFilesWritten == 1)
    #expect(try LibraryContent(history.library).bytes == content.bytes)
  }

  @Test("Incremental backup: a photo that is removed and added again is stored in the base")
  func removedPhoto() async throws {
    let history = try LibraryHistory(seed: 103)
    let member = SampleLibrary.Member(id: 60, fileName: "x.jpg", bytes: Array("again".utf8))
    try history.library.change(adding: [member, .init(id: 61, fileName: "y.jpg", bytes: [7])])
    try await history.export()
    try await history.remove([60])
    try await history.export()
    try history.library.change(adding: [member])
    let again = try await history.export()
    #expect(again.bytes == 0)
    #expect(again.increment?.chainDepth == 2)
    for (archive, ids) in zip(history.archives, [[60, 61], [61], [60, 61]] as [[Int64]]) {
      let copy = try await SampleLibrary.importing([archive])
      #expect(try copy.contents.photos.map(\.id) == ids)
    }
  }

  /// One photo of the library is not in the chain, another one was deleted in the library of the chain.
  @Test("Import: an incremental archive changes no other photo of the library")
  func otherPhotos() async throws {
    let history = try LibraryHistory(seed: 104)
    let deleted = SampleLibrary.Member(id: 60, fileName: "x.jpg", bytes: Array("deleted there".utf8))
    try history.library.change(adding: [deleted, .init(id: 61, fileName: "y.jpg", bytes: [7])])
    try await history.export()
    try await history.remove([60])
    let newest = try await history.export()
    let other = try SampleLibrary(
      [deleted, .init(id: 99, category: 2, fileName: "own.jpg", bytes: [9])],
      categories: [.sample(1, "family"), .sample(2, "own")])
    let before = try LibraryContent(other)
    try await other.importing(try #require(newest.archive))
    let after = try LibraryContent(other)
    #expect(before.photos.allSatisfy { after.photos.contains($0) })
    #expect(after.photos.count == 3)
    #expect(before.bytes.allSatisfy { after.bytes[$0.key] == $0.value })
  }

  @Test("Incremental backup: two libraries in one folder have separate chains")
  func sharedFolder() async throws {
    let (one, other) = (try LibraryHistory(seed: 105), try LibraryHistory(seed: 106))
    try one.add(5)
    try other.add(5)
    try await one.export()
    let first = try await other.library.exporting(to: one.folder.path) { $0.isIncremental = true }
    #expect(first.increment == nil)
    #expect(first.reasonForFullArchive?.contains("first export of the library") == true)
    let next = try await one.export()
    #expect(next.increment?.basePath == one.archives[0])
    let otherNext = try await other.library.exporting(to: one.folder.path) { $0.isIncremental = true }
    #expect(otherNext.increment?.basePath == first.archive)
  }

  @Test("Incremental backup: the base has the same selection")
  func selections() async throws {
    let history = try LibraryHistory(seed: 107, photos: 9)
    let complete = try await history.export()
    let part = try await history.export { $0.categories = ["Family"] }
    #expect(part.increment == nil)
    #expect(part.reasonForFullArchive?.contains("no archive of this library") == true)
    let samePart = try await history.export { $0.categories = ["family"] }
    #expect(samePart.increment?.basePath == part.archive)
    #expect(samePart.bytes == 0)
    let dated = try await history.export {
      $0.categories = ["family"]
      $0.taken.since = 1_700_000_000_003
    }
    #expect(dated.increment == nil)
    let bare = try await history.export { $0.includesSettings = false }
    #expect(bare.increment == nil)
    #expect(try await history.export().increment?.basePath == complete.archive)
  }

  @Test("Incremental backup: a part of a split archive is not used as a base")
  func splitArchive() async throws {
    let history = try LibraryHistory(seed: 108, photos: 12)
    let set = try await history.library.exporting(to: history.folder.path) {
      $0.phoneLimits = SplitTests.limits(entries: 5)
    }
    #expect(set.parts > 1)
    #expect(try await history.export().increment == nil)
  }

  /// The bytes of a corrupt photo differ from the MD5 in its row, so that no base stores the intact photo.
  @Test("Incremental backup: a photo corrupt in the base is stored again once it is intact")
  func corruptPhoto() async throws {
    let history = try LibraryHistory(seed: 109)
    try history.library.change(adding: [.init(id: 50, fileName: "a.jpg", bytes: [1, 2, 3])])
    let photo = try #require(try history.library.contents.photos.first)
    let url = URL(fileURLWithPath: history.library.file(of: photo).string)
    try Data([1, 2, 4]).write(to: url)
    #expect(try await history.export().corruptInLibrary.count == 1)
    #expect(try await history.export().corruptInLibrary.count == 1)
    try Data([1, 2, 3]).write(to: url)
    let repaired = try await history.export()
    #expect(repaired.corruptInLibrary == [])
    #expect(repaired.bytes == 3)
    #expect(repaired.increment?.chainDepth == 2)
    let copy = try await SampleLibrary.importing([try #require(repaired.archive)])
    #expect(try LibraryContent(copy) == LibraryContent(history.library))
  }

  @Test("Incremental backup: the JSON format is refused")
  func jsonFormat() async throws {
    let history = try LibraryHistory(seed: 110)
    await #expect(throws: BackupError.self) { try await history.export { $0.format = .json } }
  }

  @Test("Incremental backup: a dry run reports the base and writes nothing")
  func dryRun() async throws {
    let history = try LibraryHistory(seed: 111, photos: 4)
    try await history.export()
    let dry = try await history.library.exporting(to: history.folder.path) {
      $0.isIncremental = true
      $0.isDryRun = true
    }
    #expect(dry.increment?.basePath == history.archives[0])
    #expect(dry.bytes == 0)
    #expect(try FolderTree(history.folder.path).fileNames.count == 1)
  }
}
