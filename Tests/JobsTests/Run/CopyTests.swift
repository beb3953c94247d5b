import ArchiveCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// Which archives count as copies of a library.
struct CopyTests {
  private func copies(of night: Night) -> [JobStatus.Copy] {
    night.context.state.status(of: "family").copies
  }

  @Test("Status: a truncated or missing archive is not present")
  func changedArchives() async throws {
    let night = try await Night.afterBackup()
    #expect(copies(of: night).map(\.looksRestorable) == [true, true])
    try #require(truncate(night.archives("one")[0].path, 3000) == 0)
    try night.remove(night.archives("two")[0].path)
    #expect(copies(of: night).map(\.looksRestorable) == [false, false])
  }

  @Test("Status: a backup of selected photos is a selection, one without settings or in parts is not")
  func selection() async throws {
    let night = try await Night.afterBackup("since: 2030-01-01")
    #expect(copies(of: night).map(\.isSelection) == [true, true])
    let whole = try Night("settings: false")
    _ = try await whole.backup()
    #expect(copies(of: whole).map(\.isSelection) == [false, false])
    _ = try await whole.exportSet(to: "one")
    #expect(copies(of: whole).map(\.isSelection) == [false, false])
  }

  /// The folders of a disk that is mounted twice have two paths each.
  @Test("Backup: a second path to the same folder is refused and is not another copy")
  func sameFolder() async throws {
    var night = try Night()
    try FileManager.default.createSymbolicLink(
      atPath: night.folder("link").string, withDestinationPath: night.folder("one").string)
    night.job.destinations = ["one", "link"].map { JobDestination(path: night.folder($0)) }
    let run = try await night.backup()
    #expect(run.outcome == .incomplete)
    #expect(run.destinations[1].failure?.contains("is the same folder as") == true)
    #expect(copies(of: night).count == 1)
  }

  @Test("Backup: a destination in memory is reported and does not count as another device")
  func destinationInMemory() async throws {
    let night = try Night()
    let memory = Fault.Effect.fileSystem(type: 0x0102_1994, freeBytes: 1 << 30)
    let fault = ArmedFault(memory, persists: true, below: night.folder("one"))
    let run = try await night.backup()
    fault.disarm()
    #expect(
      run.warnings.contains {
        $0.hasSuffix("its archives are lost at the next restart")
      })
    #expect(copies(of: night).first?.isInMemory == true)
  }

  @Test("Status: an archive that is missing from a folder that can be read is missing, not unreachable")
  func missingArchive() async throws {
    let night = try await Night.afterBackup()
    try night.remove(night.archives("two")[0].path)
    #expect(copies(of: night).map(\.reachability) == [.reachable, .missing])
    try night.remove(night.folder("one").string)
    #expect(copies(of: night).map(\.reachability) == [.unreachable, .missing])
  }

  /// The mount point of a disk that is not mounted is an empty folder.
  @Test("Status: the archives of a disk that is not mounted are unreachable, not missing")
  func otherMountPoint() async throws {
    let night = try await Night.afterBackup()
    var record = try #require(copies(of: night).first).found
    try night.remove(record.archive)
    #expect(copies(of: night)[0].reachability == .missing)
    record.mountPoint = record.path
    let copy = JobStatus.Copy(record, night.context.ledger, reachedBy: nil)
    #expect(copy.reachability == .unreachable)
  }

  @Test("Backup: the run reports the bytes and photos of the library, not of the archive")
  func libraryBytes() async throws {
    var night = try Night("incremental: true")
    #expect(try await night.backup().bytes == 6 * 9000)
    try night.changeLibrary(id: 7)
    #expect(try await night.backup(day: 2).bytes == 6 * 9000 + 7)
    let unchanged = try await night.backup()
    #expect(unchanged.outcome == .unchanged)
    #expect(unchanged.bytes == 6 * 9000 + 7)
    #expect(unchanged.photos == 7)
  }

  @Test("Backup: a dangling symbolic link is not accepted as the sentinel file")
  func sentinelFile() async throws {
    var night = try Night()
    night.job.destinations[0].sentinel = ".disk"
    let sentinel = night.folder("one").appending(".disk").string
    try FileManager.default.createSymbolicLink(atPath: sentinel, withDestinationPath: "/nowhere")
    #expect(try await night.backup().destinations[0].failure?.contains("has no sentinel file .disk") == true)
    try night.remove(sentinel)
    #expect(FileManager.default.createFile(atPath: sentinel, contents: nil))
    #expect(try await night.backup().destinations[0].failure == nil)
  }
}
