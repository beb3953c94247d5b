import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Incremental exports, and what importing a chain of them gives.
@Suite struct IncrementalTests {
  /// Else every increment would rest on it until that day, and hold what those before it hold.
  @Test func nothingRestsOnAnArchiveOfTomorrow() async throws {
    let history = try LibraryHistory(seed: 5)
    try history.add(3)
    let folder = try ScratchFolder()
    var options = ExportOptions()
    options.isIncremental = true
    func export(_ seconds: Double) async throws -> ExportSummary {
      options.date = Date(timeIntervalSince1970: seconds)
      return try await Work.export(history.library.path, to: folder.path, options: options).summary
    }
    #expect(try await export(900_000).increment == nil)
    let summary = try await export(100_000)
    #expect(summary.increment == nil && summary.fullBecause?.contains("is dated in the future") == true)
    #expect(try await export(100_030).increment?.length == 1)
    #expect(try await export(900_030).increment != nil)
  }

  /// The last one is the library, and so was each before it.
  @Test(arguments: 0..<12) func aChainGivesEachNightBack(_ seed: Int) async throws {
    let history = try LibraryHistory(seed: UInt64(seed))
    try history.add(6)
    for _ in 0..<7 {
      try await history.export { $0.maximumChain = 3 + seed % 3 }
      try await history.live()
    }
    var lengths: [Int] = []
    for (summary, content) in history.nights {
      let archive = try #require(summary.archive)
      expectNone(try WrittenBackup(archive).faults())
      lengths.append(summary.increment?.length ?? 0)
      let copy = try SampleLibrary()
      let imported = try await copy.importing(archive)
      #expect(!imported.isIncomplete && imported.warnings == [])
      #expect(try LibraryContent(copy) == content)
      expectNone(try copy.faults())
      // in the place of what is there, too
      try await copy.importing(archive) { $0.strategy = .replace }
      #expect(try LibraryContent(copy) == content)
    }
    let limit = 4 + seed % 3
    #expect(lengths == (0..<7).map { $0 % limit })
  }

  @Test func onlyWhatIsNewIsInIt() async throws {
    let history = try LibraryHistory(seed: 100)
    try history.add(8)
    let full = try await history.export()
    #expect(full.fullBecause?.contains("no export yet") == true && full.increment == nil)
    let nothing = try await history.export()
    #expect(nothing.bytes == 0 && nothing.increment?.length == 1 && nothing.fullBecause == nil)
    #expect(nothing.photos == full.photos && nothing.increment?.archive == full.archive)
    let bytes = Array("something new".utf8)
    try history.library.change(adding: [.init(id: 900, fileName: "new.jpg", bytes: bytes)])
    let one = try await history.export()
    #expect(one.bytes == bytes.count && one.increment?.length == 2)
    let written = try WrittenBackup(try #require(one.archive))
    #expect(written.photos == [900: bytes])
    #expect(written.metadata.photos.count == full.photos + 1)
    #expect(written.names == ["photos/900_new.jpg", "metadata.json", "checksums.md5"])
  }

  /// What is durable rests on what is: the base may have been written without being flushed.
  @Test func theBaseIsFlushedToo() async throws {
    let history = try LibraryHistory(seed: 101)
    try history.add(2)
    let base = try #require(try await history.export { $0.syncs = false }.archive?.realPath)
    let fault = ArmedFault(Fault(.error(.ioError), of: .only([.sync]), below: base))
    defer { fault.disarm() }
    await #expect(throws: FileError.self) { _ = try await history.export() }
    #expect(try await history.export { $0.syncs = false }.increment?.length == 1)
  }

  /// An increment says of the files that its base holds all that the base says of them.
  @Test func whatTheBaseHoldsIsFoundAndComparedAlike() async throws {
    let history = try LibraryHistory(seed: 103)
    try history.add(8)
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
        #expect(full.contains { $0.record.id == photo.id && $0.md5 == photo.md5 })
        #expect(full.map(\.record) == increment.map(\.record))
        #expect(full.map(\.fileName) == increment.map(\.fileName))
        #expect(full.map(\.md5) == increment.map(\.md5) && full.map(\.size) == increment.map(\.size))
        #expect(full.allSatisfy { $0.place == .archive } && increment.allSatisfy { $0.place == .base })
      }
    }
  }

  /// So that "nothing has changed" is seen across both.
  @Test func fullAndIncrementalExportsHaveOneState() async throws {
    let history = try LibraryHistory(seed: 101)
    try history.add(8)
    try await history.export()
    try history.add(2)
    let increment = try await history.export()
    let full = try await history.library.exporting(to: history.folder.path.appending("full.zip"))
    let states = try [increment, full].map {
      try WrittenBackup(try #require($0.archive)).metadata.smilepile?.state
    }
    #expect(states[0] != nil && states[0] == states[1])
    // a file that is gone is another state, whether the base holds it or not
    let photo = try #require(try history.library.contents.photos.first { !$0.isFromAssets })
    try FileManager.default.removeItem(atPath: history.library.file(of: photo).string)
    // as it is: the history would look for the file
    let later = try await history.library.exporting(to: history.folder.path) { $0.isIncremental = true }
    let laterFull = try await history.library.exporting(to: history.folder.path.appending("full2.zip"))
    let laterStates = try [later, laterFull].map {
      try WrittenBackup(try #require($0.archive)).metadata.smilepile?.state
    }
    #expect(laterStates[0] == laterStates[1] && laterStates[0] != states[0])
  }

  @Test func aPhotoThatTheLibraryLostIsHeld() async throws {
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
    #expect(summary.isIncomplete && summary.increment?.held == 2 && summary.photos == 2)
    #expect(summary.missing.count == 1 && summary.missing[0].message.contains("photo 50 “gone”"))
    #expect(summary.missing[0].message.contains("the base holds its file"))
    let copy = try await SampleLibrary.importing([try #require(summary.archive)])
    #expect(try LibraryContent(copy) == content)
    // and it comes back into the library that lost it
    let healed = try await history.library.importing(try #require(summary.archive))
    #expect(healed.photoFilesRestored == 1)
    #expect(try LibraryContent(history.library).bytes == content.bytes)
  }

  /// What comes again is held already, and what was removed is told.
  @Test func deletionsAreToldAndReAddedPhotosAreHeld() async throws {
    let history = try LibraryHistory(seed: 103)
    let member = SampleLibrary.Member(id: 60, fileName: "x.jpg", bytes: Array("again".utf8))
    try history.library.change(adding: [member, .init(id: 61, fileName: "y.jpg", bytes: [7])])
    try await history.export()
    try await history.remove([60])
    let without = try await history.export()
    let deletions = try WrittenBackup(try #require(without.archive)).metadata.smilepile?.increment?.deletions
    #expect(deletions?.map(\.checksum) == [member.photo.md5?.description])
    #expect(deletions?.map(\.category) == ["family"])
    try history.library.change(adding: [member])
    let again = try await history.export()
    #expect(again.bytes == 0 && again.increment?.length == 2)
    for (archive, ids) in zip(history.archives, [[60, 61], [61], [60, 61]] as [[Int64]]) {
      let copy = try await SampleLibrary.importing([archive])
      #expect(try copy.contents.photos.map(\.id) == ids)
    }
  }

  /// A library has other photos, and some that were deleted where the chain comes from: nothing of them is touched.
  @Test func nothingElseOfTheLibraryIsTouched() async throws {
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
    #expect(before.photos.allSatisfy(after.photos.contains) && after.photos.count == 3)
    #expect(before.bytes.allSatisfy { after.bytes[$0.key] == $0.value })
  }

  @Test func twoLibrariesShareAFolder() async throws {
    let (one, other) = (try LibraryHistory(seed: 105), try LibraryHistory(seed: 106))
    try one.add(5)
    try other.add(5)
    try await one.export()
    let first = try await other.library.exporting(to: one.folder.path) { $0.isIncremental = true }
    #expect(first.increment == nil && first.fullBecause?.contains("no export yet") == true)
    let next = try await one.export()
    #expect(next.increment?.archive == one.archives[0])
    let otherNext = try await other.library.exporting(to: one.folder.path) { $0.isIncremental = true }
    #expect(otherNext.increment?.archive == first.archive)
  }

  /// Another selection is another backup.
  @Test func theSelectionMustBeTheSame() async throws {
    let history = try LibraryHistory(seed: 107)
    try history.add(9)
    let whole = try await history.export()
    let part = try await history.export { $0.categories = ["Family"] }
    #expect(part.increment == nil && part.fullBecause?.contains("no archive of this library") == true)
    let samePart = try await history.export { $0.categories = ["family"] }
    #expect(samePart.increment?.archive == part.archive && samePart.bytes == 0)
    let dated = try await history.export {
      $0.categories = ["family"]
      $0.since = 1_700_000_000_003
    }
    #expect(dated.increment == nil)
    let bare = try await history.export { $0.includesSettings = false }
    #expect(bare.increment == nil)
    #expect(try await history.export().increment?.archive == whole.archive)
  }

  /// A part of a set is no base.
  @Test func aPartOfASplitIsNoBase() async throws {
    let history = try LibraryHistory(seed: 108)
    try history.add(12)
    let set = try await history.library.exporting(to: history.folder.path) {
      $0.split = .phone(SplitTests.limits(entries: 5))
    }
    #expect(set.parts > 1)
    #expect(try await history.export().increment == nil)
  }

  /// A damaged photo has other bytes than its row says, so that no base holds it.
  @Test func aDamagedPhotoIsNotHeld() async throws {
    let history = try LibraryHistory(seed: 109)
    try history.library.change(adding: [.init(id: 50, fileName: "a.jpg", bytes: [1, 2, 3])])
    let photo = try #require(try history.library.contents.photos.first)
    let url = URL(fileURLWithPath: history.library.file(of: photo).string)
    try Data([1, 2, 4]).write(to: url)
    #expect(try await history.export().damaged.count == 1)
    #expect(try await history.export().damaged.count == 1)
    try Data([1, 2, 3]).write(to: url)
    let healed = try await history.export()
    #expect(healed.damaged == [] && healed.bytes == 3 && healed.increment?.length == 2)
    let copy = try await SampleLibrary.importing([try #require(healed.archive)])
    #expect(try LibraryContent(copy) == LibraryContent(history.library))
  }

  @Test func aJSONBackupRestsOnNothing() async throws {
    let history = try LibraryHistory(seed: 110)
    await #expect(throws: BackupError.self) { try await history.export { $0.format = .json } }
  }

  @Test func aDryRunSaysWhatItWouldRestOn() async throws {
    let history = try LibraryHistory(seed: 111)
    try history.add(4)
    try await history.export()
    let dry = try await history.library.exporting(to: history.folder.path) {
      $0.isIncremental = true
      $0.isDryRun = true
    }
    #expect(dry.increment?.archive == history.archives[0] && dry.bytes == 0)
    #expect(try FolderTree(history.folder.path).fileNames.count == 1)
  }
}
