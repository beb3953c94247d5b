import SystemPackage
import TestSupport
import Testing
import Zip

/// Archives that were made to deceive programs, or are damaged.
struct HostileArchiveTests {
  @Test(
    "ZIP: a hostile archive is refused with its reason",
    arguments: [
      HostileArchives.files, HostileArchives.ends, HostileArchives.headers, HostileArchives.contents,
      HostileArchives.betweenEntries,
    ].flatMap(\.self))
  func hostile(_ hostile: Hostile) throws {
    let disk = try ArchiveOnDisk(hostile.bytes)
    #expect(throws: hostile.expected(disk.path)) { try disk.open(limits: hostile.limits) }
  }

  @Test("ZIP: control characters of a name are escaped in messages")
  func escapedName() throws {
    let disk = try ArchiveOnDisk(ZipBuilder([.stored("../\u{202E}gpj.\u{1B}[2J")]).bytes)
    let error = try #require(throws: ArchiveError.self) { try disk.open() }
    #expect(error.description.contains("../\\u{202E}gpj.\\u{1B}[2J"))
    #expect(error.description.contains(disk.path.string))
  }

  @Test("ZIP: a folder is refused")
  func folder() throws {
    let disk = try ArchiveOnDisk()
    #expect(throws: ArchiveError.notAFile(disk.folder.path)) { try Archive(path: disk.folder.path) }
  }

  @Test("ZIP: a missing file is reported as missing")
  func missing() throws {
    let disk = try ArchiveOnDisk()
    let error = try #require(throws: ArchiveError.self) {
      try Archive(path: disk.folder.path("nothing.zip"))
    }
    guard case .file(let reason) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(reason.isMissing)
  }

  @Test("ZIP: a file that changes after the scan is not read")
  func changed() throws {
    let disk = try ArchiveOnDisk(ZipBuilder([.stored("a", "content")]).bytes)
    let archive = try disk.open()
    let descriptor = try FileDescriptor.open(disk.path, .writeOnly, options: .append)
    try descriptor.closeAfter { _ = try descriptor.writeAll([0]) }
    #expect(throws: ArchiveError.changed(disk.path)) { _ = try EntryReader(archive) }
  }
}
