import SystemPackage
import TestSupport
import Testing
import Zip

/// Archives that somebody made to deceive, or that came apart: each is refused with its reason.
struct HostileArchiveTests {
  @Test(
    arguments: [
      HostileArchives.files, HostileArchives.ends, HostileArchives.headers, HostileArchives.contents,
      HostileArchives.betweenEntries,
    ].flatMap(\.self))
  func isRefused(_ hostile: Hostile) throws {
    let disk = try ArchiveOnDisk(hostile.bytes)
    #expect(throws: hostile.expected(disk.path)) { try disk.open(limits: hostile.limits) }
  }

  @Test func messageShowsNamesWithoutTheirTricks() throws {
    let disk = try ArchiveOnDisk(ZipBuilder([.stored("../\u{202E}gpj.\u{1B}[2J")]).bytes)
    let error = try #require(throws: ArchiveError.self) { try disk.open() }
    #expect(error.description.contains("../\\u{202E}gpj.\\u{1B}[2J"))
    #expect(error.description.contains(disk.path.string))
  }

  @Test func folderIsNoArchive() throws {
    let disk = try ArchiveOnDisk()
    #expect(throws: ArchiveError.notAFile(disk.folder)) { try Archive(path: disk.folder) }
  }

  @Test func missingFileIsSaidToBeMissing() throws {
    let disk = try ArchiveOnDisk()
    let error = try #require(throws: ArchiveError.self) {
      try Archive(path: disk.folder.appending("nothing.zip"))
    }
    guard case .file(let reason) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(reason.isAbsence)
  }

  @Test func fileThatIsWrittenToAfterTheScanIsNotRead() throws {
    let disk = try ArchiveOnDisk(ZipBuilder([.stored("a", "content")]).bytes)
    let archive = try disk.open()
    let descriptor = try FileDescriptor.open(disk.path, .writeOnly, options: .append)
    try descriptor.closeAfter { _ = try descriptor.writeAll([0]) }
    #expect(throws: ArchiveError.changed(disk.path)) { _ = try EntryReader(archive) }
  }
}
