import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// The reset of a library that jobs back up.
@Suite struct LibraryResetTests {
  private func reset(
    _ night: Night, hasJobFile: Bool = true, _ configure: (inout LibraryReset) -> Void = { _ in }
  ) async throws -> LibraryReset.Report {
    var reset = LibraryReset(of: night.library.path, .contents, jobs: hasJobFile ? [night.job] : [])
    configure(&reset)
    var options = ResetOptions()
    options.authorization = .given
    return try await Work.reset(reset, options: options, night.context).summary
  }

  private func undo(_ night: Night) async throws {
    _ = try await Work.undo(night.library.path, options: .given).summary
  }

  private func expectRefusal(
    _ night: Night, missing: Int, nearest: String?, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let photos = try night.library.contents.photos.count
    let expected = ResetRefusal.notArchived(
      night.library.path, photos: photos, missing: missing, nearest: nearest)
    await #expect(throws: expected, sourceLocation: sourceLocation) { _ = try await reset(night) }
    #expect(try night.library.contents.photos.count == photos, sourceLocation: sourceLocation)
  }

  // MARK: Archives

  @Test("Reset: it is refused without an archive, unless it is forced")
  func noArchive() async throws {
    let night = try Night()
    try await expectRefusal(night, missing: 6, nearest: nil)
    let report = try await reset(night) { $0.isForced = true }
    #expect(report.archive == nil)
    #expect(try night.library.contents.photos == [])
  }

  @Test("Reset: the archive of a job that contains all photos allows it")
  func archiveOfJob() async throws {
    let night = try await Night.afterBackup()
    let report = try await reset(night)
    #expect(report.archive == (try night.archives("one").last?.path))
    #expect(report.summary.photos == 6)
    #expect(report.warnings == [])
  }

  @Test("Reset: it is refused if a photo is newer than the newest archive")
  func newerPhoto() async throws {
    let night = try await Night.afterBackup()
    try night.changeLibrary(id: 7)
    try await expectRefusal(night, missing: 1, nearest: try night.archives("one").last?.path)
  }

  @Test("Reset: an archive that was not verified, or was found corrupt, does not count")
  func unverifiedArchive() async throws {
    let night = try Night()
    let archive = night.folder("one/a.zip")
    _ = try await Work.export(night.library.path, to: archive).summary
    try await expectRefusal(night, missing: 6, nearest: nil)
    night.markVerified(archive.string)
    night.markSuspect(archive.string)
    try await expectRefusal(night, missing: 6, nearest: nil)
    night.markVerified(archive.string)
    #expect(try await reset(night).archive == archive.string)
  }

  @Test("Reset: an archive that was replaced since it was verified does not count")
  func replacedArchive() async throws {
    let night = try Night()
    let archive = night.folder("one/a.zip")
    _ = try await Work.export(night.library.path, to: archive).summary
    night.markVerified(archive.string)
    try night.damage(archive.string)
    try await expectRefusal(night, missing: 6, nearest: nil)
  }

  @Test("Reset: a selection of the library does not count")
  func selection() async throws {
    let night = try Night()
    let archive = night.folder("one/a.zip")
    var options = ExportOptions()
    options.categories = ["family"]
    _ = try await Work.export(night.library.path, to: archive, options: options).summary
    night.markVerified(archive.string)
    try await expectRefusal(night, missing: 6, nearest: nil)
  }

  @Test("Reset: an incremental archive counts with its chain, and not without")
  func chain() async throws {
    var night = try await Night.afterBackup("incremental: {max-chain: 5}")
    try night.changeLibrary(id: 7)
    let run = try await night.backup(day: 2)
    let base = try #require(try night.archives("one").first).path
    for folder in ["one", "two"] {
      let full = try #require(try night.archives(folder).first).path
      try FileManager.default.moveItem(atPath: full, toPath: full + ".away")
    }
    try await expectRefusal(night, missing: 7, nearest: nil)
    try FileManager.default.moveItem(atPath: base + ".away", toPath: base)
    // a file that was moved is another version
    night.markVerified(base)
    #expect(try await reset(night).archive == run.archives.first)
  }

  @Test("Reset: all parts of a split archive count together")
  func parts() async throws {
    let night = try Night()
    let parts = try await night.exportSet(to: "one")
    for part in parts.dropLast() { night.markVerified(part.string) }
    try await expectRefusal(night, missing: 6, nearest: nil)
    night.markVerified(try #require(parts.last).string)
    #expect(try await reset(night).archive != nil)
  }

  @Test("Reset: an encrypted archive counts with the password of the job")
  func encrypted() async throws {
    var night = try Night()
    let password = Secret("a good long password")
    let archive = night.folder("one/a.zip")
    var options = ExportOptions()
    options.password = password
    _ = try await Work.export(night.library.path, to: archive, options: options).summary
    night.markVerified(archive.string)
    try await expectRefusal(night, missing: 6, nearest: nil)
    night.job.password = .command("unused")
    night.context.password = { _ in password }
    #expect(try await reset(night).archive == archive.string)
  }

  @Test("Reset: the folders of exports are searched too, with the given password")
  func exportFolder() async throws {
    let night = try Night()
    try night.scratch.makeFolder("elsewhere")
    let archive = night.folder("elsewhere/a.zip")
    let password = Secret("a good long password")
    var options = ExportOptions()
    options.password = password
    _ = try await Work.export(night.library.path, to: archive, options: options).summary
    night.markVerified(archive.string)
    try await expectRefusal(night, missing: 6, nearest: nil)
    #expect(try await reset(night) { $0.password = password }.archive == archive.string)
  }

  @Test("Reset: a destination that is missing is reported")
  func missingDestination() async throws {
    let night = try await Night.afterBackup()
    try night.remove(night.folder("one").string)
    let report = try await reset(night)
    #expect(report.warnings.count == 1)
    #expect(report.warnings.first?.contains("/one") == true)
    #expect(report.archive == (try night.archives("two").last?.path))
  }

  // MARK: Jobs

  @Test("Reset: the next run reports another library, and no run prunes the archives of the old one")
  func nextRuns() async throws {
    var night = try await Night.afterBackup("retention: {keep-last: 2}")
    try night.changeLibrary(id: 100)
    _ = try await night.backup(day: 2)
    let old = Set(try night.archives("one").map(\.archiveID))
    #expect(old.count == 2)
    _ = try await reset(night)
    let run = try await night.backup(day: 3)
    #expect(run.outcome == .incomplete)
    #expect(run.message?.contains("is not the library of the previous run") == true)
    var edit = LibraryEdit()
    edit.newCategories = [.sample(1, "family")]
    try night.library.change(edit)
    for day in 4...7 {
      try night.changeLibrary(id: Int64(100 + day))
      #expect(try await night.backup(day: day).outcome == .done)
    }
    for folder in ["one", "two"] {
      let archives = try night.archives(folder)
      #expect(archives.count == 4, "two of each library")
      #expect(old.isSubset(of: archives.map(\.archiveID)))
    }
  }

  @Test("Reset: the next incremental backup is full, and after an undo it depends on the old archive")
  func nextBase() async throws {
    var night = try await Night.afterBackup("incremental: {max-chain: 5}")
    let old = try #require(try night.archives("one").last)
    _ = try await reset(night)
    let run = try await night.backup(day: 2)
    let new = try #require(try night.archives("one").first { run.archives.contains($0.path) })
    #expect(new.base == nil)
    try await undo(night)
    try night.changeLibrary(id: 7)
    let next = try await night.backup(day: 3)
    let last = try #require(try night.archives("one").first { next.archives.contains($0.path) })
    #expect(last.base?.archiveID == old.archiveID)
    #expect(last.libraryID == old.libraryID)
  }

  @Test("Reset: while a backup or a restore test runs, it is refused", arguments: ["family", "family.drill"])
  func runningJob(name: String) async throws {
    let night = try await Night.afterBackup()
    let lock = try FileLock(
      FilePath("\(name).lock"), in: Directory.open(night.folder("state")), exclusive: true)
    await #expect { _ = try await reset(night) } throws: {
      if case JobError.running("family", _, _) = $0 { true } else { false }
    }
    lock.release()
    #expect(try night.library.contents.photos.count == 6)
  }

  @Test("Reset: a job that is not in the job file, but backed up the library, is found by its runs")
  func jobOfLedger() async throws {
    let night = try await Night.afterBackup()
    let lock = try FileLock("family.lock", in: Directory.open(night.folder("state")), exclusive: true)
    await #expect(throws: JobError.self) { _ = try await reset(night, hasJobFile: false) }
    lock.release()
  }

  @Test("Reset: a process that is not of this program is not stopped")
  func otherProgram() async throws {
    let night = try Night()
    let note = #"echo "process $$ on $(hostname)" > library.lock"#
    let other = try RunningProgram(
      "exec 9<> library.lock; flock 9; \(note); echo; exec sleep 600", in: night.library.path)
    _ = other.text()
    await #expect(throws: FileLock.Busy.self) {
      _ = try await reset(night) { ($0.isForced, $0.stopsProcesses) = (true, true) }
    }
    #expect(other.isRunning)
    #expect(try night.library.contents.photos.count == 6)
  }

  @Test("Reset: a refused one stops no process and asks nothing")
  func refusedBeforeStop() async throws {
    let night = try Night()
    let lock = try FileLock("library.lock", in: Directory.open(night.library.path), exclusive: true)
    let expected = ResetRefusal.notArchived(night.library.path, photos: 6, missing: 6, nearest: nil)
    // this process has the lock, and would be stopped
    await #expect(throws: expected) { _ = try await reset(night) { $0.stopsProcesses = true } }
    lock.release()
  }

  // MARK: Inboxes

  @Test("Reset: an inbox file is imported again, and is known again after the undo")
  func inbox() async throws {
    let night = try Night("inbox: {path: in, after-import: keep}")
    try night.scratch.makeFolder("in")
    var phone = Phone()
    phone.categories = [Phone.Category(1, "Family")]
    phone.photos = [
      Phone.Photo(31, Phone.androidFolder + "IMG_31.jpg", in: 1, at: 1_600_000_000_000, Picture.jpeg(31))
    ]
    try night.scratch.write(AndroidApp(.september22).backup(of: phone), to: "in/a.zip")
    #expect(try await Work.inbox(night.job, night.context).summary.photosImported == 1)
    #expect(try await Work.inbox(night.job, night.context).summary.files.map(\.state) == [.known])
    _ = try await reset(night) { $0.isForced = true }
    try await undo(night)
    #expect(try await Work.inbox(night.job, night.context).summary.files.map(\.state) == [.known])
    _ = try await reset(night) { $0.isForced = true }
    #expect(try await Work.inbox(night.job, night.context).summary.photosImported == 1)
    #expect(try night.library.contents.photos.map(\.fileName) == ["IMG_31.jpg"])
  }
}
