import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import GRDB
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// A job with an inbox. Its clock is months before the status change times of the files, which therefore have settled.
private struct Family {
  var night: Night

  /// - Parameter photos: the numbers of the photos in the backup `a.zip` of the inbox, which has none if they are empty.
  init(_ afterImport: String = "move", photos: Int...) throws {
    night = try Night("inbox: {path: in, phone: Anna, after-import: \(afterImport)}")
    try night.scratch.makeFolder("in")
    if !photos.isEmpty { try write(Self.backup(photos), to: "a.zip") }
  }

  /// A backup of a phone with photos of these numbers.
  static func backup(_ photos: Int...) -> [UInt8] { backup(photos) }

  private static func backup(_ photos: [Int]) -> [UInt8] {
    var phone = Phone()
    phone.categories = [Phone.Category(1, "Family")]
    phone.photos = photos.map { number in
      Phone.Photo(
        Int64(number), Phone.androidFolder + "IMG_\(number).jpg", in: 1, at: 1_600_000_000_000,
        Picture.jpeg(number))
    }
    return AndroidApp(.september22).backup(of: phone)
  }

  /// A backup of two photos of which the first is corrupt.
  static func damagedBackup() throws -> [UInt8] {
    var backup = backup(31, 32)
    // the name in the header before the bytes of the photo
    let name = try #require(backup.firstRange(of: Array("IMG_31.jpg".utf8)))
    backup[name.upperBound + 40] ^= 0xFF
    return backup
  }

  func write(_ bytes: [UInt8], to name: String) throws { try night.scratch.write(bytes, to: "in/\(name)") }

  func names() throws -> [String] { try night.names("in") }

  /// The names of the imported files; empty if there are none.
  func moved() -> [String] { (try? night.names("in/imported")) ?? [] }

  func photos() throws -> Int { try Library(path: night.library.path).contents().photos.count }

  func run(dryRun: Bool = false) async throws -> InboxReport {
    try await Work.inbox(night.job, night.context, isDryRun: dryRun).summary
  }
}

@Suite struct InboxTests {
  @Test("Inbox: a backup is imported once, and moved")
  func move() async throws {
    let family = try Family(photos: 31, 32)
    let report = try await family.run()
    #expect(report.errors == [])
    #expect(report.backupsImported == 1)
    #expect(report.photosImported == 2)
    #expect(try family.names() == ["imported"])
    #expect(family.moved() == ["a.zip"])
    #expect(try family.photos() == 8)
    let again = try await family.run()
    #expect(again.files == [])
  }

  @Test("Inbox: a second file of the same content is not imported, and gets a free name")
  func duplicate() async throws {
    let family = try Family()
    let backup = Family.backup(31)
    try family.write(backup, to: "a.zip")
    _ = try await family.run()
    try family.write(backup, to: "a.zip")
    try family.write(backup, to: "b.zip")
    let report = try await family.run()
    #expect(report.backupsImported == 0)
    #expect(report.files.map(\.state) == [.known, .known])
    #expect(family.moved() == ["a-2.zip", "a.zip", "b.zip"])
  }

  @Test("Inbox: a kept backup is not read again")
  func keep() async throws {
    let family = try Family("keep", photos: 31)
    _ = try await family.run()
    let fault = ArmedFault(
      .error(.ioError), of: [.open], persists: true, below: family.night.folder("in/a.zip"))
    defer { fault.disarm() }
    let report = try await family.run()
    #expect(report.files.map(\.state) == [.known])
    #expect(report.errors == [])
    #expect(fault.place == nil)
    #expect(try family.names() == ["a.zip"])
  }

  @Test("Inbox: a changed backup is imported again")
  func changed() async throws {
    let family = try Family("keep", photos: 31)
    _ = try await family.run()
    try family.write(Family.backup(31, 32), to: "a.zip")
    let report = try await family.run()
    #expect(report.files.map(\.state) == [.imported(photos: 1, skipped: 1)])
  }

  @Test("Inbox: a dry run changes nothing")
  func dryRun() async throws {
    let family = try Family(photos: 31)
    try family.write(Array("notes".utf8), to: "notes.txt")
    let before = try FolderTree(family.night.scratch.path)
    let report = try await family.run(dryRun: true)
    #expect(report.backupsImported == 1)
    #expect(report.files.map(\.name.string).sorted() == ["a.zip", "notes.txt"])
    #expect(try FolderTree(family.night.scratch.path).differences(from: before) == [])
    #expect(try family.photos() == 6)
  }

  @Test("Inbox: a file that was modified within the last minute waits, whatever clock the phone has")
  func settling() async throws {
    var family = try Family(photos: 31)
    // the date of a phone whose clock is wrong
    try family.night.setModified("in/a.zip", to: Date(timeIntervalSince1970: 4_000_000_000))
    let written = Date()
    family.night.context.now = { written }
    let report = try await family.run()
    #expect(report.files.map(\.state) == [.unfinished(.modified)])
    family.night.context.now = { written.addingTimeInterval(61) }
    let later = try await family.run()
    #expect(later.backupsImported == 1)
  }

  @Test("Inbox: a backup that is dated in the future is imported, with a warning")
  func wrongClock() async throws {
    var family = try Family()
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    family.night.context.now = { now }
    try family.write(Family.backup(31), to: "a.zip")
    let report = try await family.run()
    #expect(report.backupsImported == 1)
    #expect(report.warnings.contains { $0.contains("in the future; check the clock of the phone") })
  }

  @Test(
    "Inbox: unfinished files of other programs are skipped",
    arguments: [
      "~syncthing~a.zip.tmp", "a.zip.part", "a.zip.ocTransferId123.part", "a.zip.1a2b.partial",
      "a.zip.filepart", "a.zip.crdownload", "a.zip.tmp", "a.zip~", ".a.zip.Xy12ab", ".syncthing.a.zip.tmp",
    ])
  func temporaryNames(_ name: String) async throws {
    let family = try Family()
    try family.write(Family.backup(31), to: name)
    let report = try await family.run()
    #expect(report.backupsImported == 0)
    #expect(report.errors == [])
    #expect(try family.names() == [name])
  }

  @Test("Inbox: a file that a process has open for writing is skipped")
  func openForWriting() async throws {
    let family = try Family(photos: 31)
    let path = family.night.folder("in/a.zip")
    guard try File.open(path, .read).isOpenForWriting() != nil else { return }
    do {
      let writer = try File.open(path, .readWrite)
      #expect(try await family.run().files.map(\.state) == [.unfinished(.openForWriting)])
      withExtendedLifetime(writer) {}
    }
    // a child process that another test starts has all files open until it executes its program
    while try File.open(path, .read).isOpenForWriting() == true { await Task.yield() }
    #expect(try await family.run().backupsImported == 1)
  }

  @Test("Inbox: a run of the job warns of a file that it skips, and not of a temporary name")
  func skippedByRun() async throws {
    var family = try Family()
    try family.write(Array(Family.backup(31).dropLast(100)), to: "a.zip")
    try family.write(Family.backup(32), to: "b.zip.part")
    let written = Date()
    family.night.context.now = { written.addingTimeInterval(3600) }
    let warnings = try await family.night.backup().warnings.filter { $0.contains("/in/") }
    #expect(warnings.count == 1)
    #expect(warnings.first?.hasSuffix("/in/a.zip from Anna: its end is missing") == true)
  }

  @Test("Inbox: a library that cannot be opened fails the run of the job, and is reported once")
  func damagedLibrary() async throws {
    let family = try Family(photos: 31)
    let database = family.night.library.path.appending("library.sqlite").string
    try await DatabaseQueue(path: database).write { try $0.execute(sql: "CREATE TABLE x (id)") }
    let run = try await family.night.backup()
    #expect(run.outcome == .failed)
    #expect(run.message?.contains("the table “x” is not part of its schema") == true)
    #expect(run.warnings.filter { $0.contains("“x”") } == [])
    #expect(try family.names() == ["a.zip"])
  }

  @Test("Inbox: an archive without its end may continue for a day, and is unreadable then")
  func noEnd() async throws {
    var family = try Family()
    try family.write(Array(Family.backup(31).dropLast(100)), to: "a.zip")
    let written = Date()
    family.night.context.now = { written.addingTimeInterval(3600) }
    let report = try await family.run()
    #expect(report.files.map(\.state) == [.unfinished(.noEnd)])
    #expect(report.errors == [])
    family.night.context.now = { written.addingTimeInterval(86_500) }
    for _ in 1...2 {
      let later = try await family.run()
      #expect(later.errors.count == 1)
      #expect(later.backupsUnreadable == 1)
    }
    #expect(try family.names() == ["a.zip"])
  }

  @Test(
    "Inbox: a file with the name of a backup that is neither ZIP nor JSON is unreadable after a day",
    arguments: [
      ("a.zip", [UInt8](repeating: 0, count: 5000)), ("a.zip", []), ("a.json", []),
      ("a.json", Array(#"{"version": 1, "photos": [{"id""#.utf8)),
    ])
  func broken(name: String, bytes: [UInt8]) async throws {
    var family = try Family()
    try family.write(bytes, to: name)
    let written = Date()
    family.night.context.now = { written.addingTimeInterval(3600) }
    #expect(try await family.run().files.map(\.state) == [.unfinished(.noEnd)])
    family.night.context.now = { written.addingTimeInterval(86_500) }
    for _ in 1...2 { #expect(try await family.run().backupsUnreadable == 1) }
    #expect(try family.names() == [name])
  }

  @Test(
    "Inbox: files of other programs are ignored",
    arguments: [("a.json", #"{"mode": 1}"#), ("a.json", "[1]"), ("a.txt", ""), ("a.jpg", "\u{0}\u{0}")])
  func thirdParty(name: String, text: String) async throws {
    var family = try Family()
    try family.write(Array(text.utf8), to: name)
    let written = Date()
    family.night.context.now = { written.addingTimeInterval(86_500) }
    #expect(try await family.run().files.map(\.state) == [.ignored])
  }

  @Test("Inbox: a damaged backup stays, is reported by each run, and its intact photos are imported")
  func damaged() async throws {
    let family = try Family()
    try family.write(Family.damagedBackup(), to: "a.zip")
    let first = try await family.run()
    #expect(first.photosImported == 1)
    #expect(first.errors.count == 1)
    let second = try await family.run()
    #expect(second.backupsImported == 0)
    #expect(second.errors == first.errors)
    #expect(second.backupsUnreadable == 1)
    #expect(try family.names() == ["a.zip"])
  }

  @Test("Inbox: a run that is interrupted between import and move is completed by the next one")
  func interrupted() async throws {
    let family = try Family(photos: 31)
    let fault = ArmedFault(
      .error(.ioError), of: [.renameNoReplace, .link, .create], persists: true,
      below: family.night.folder("in"))
    let report = try await family.run()
    fault.disarm()
    #expect(report.backupsImported == 1)
    #expect(report.errors.count == 1)
    #expect(try family.names().contains("a.zip"))
    let next = try await family.run()
    #expect(next.backupsImported == 0)
    #expect(next.errors == [])
    #expect(family.moved() == ["a.zip"])
  }

  @Test("Inbox: a lost ledger changes nothing but the report")
  func lostLedger() async throws {
    let family = try Family("keep", photos: 31)
    _ = try await family.run()
    try family.night.remove(family.night.folder("state/ledger.sqlite").string)
    let report = try await family.run()
    #expect(report.files.map(\.state) == [.imported(photos: 0, skipped: 1)])
    #expect(try family.photos() == 7)
  }

  @Test("Inbox: a file that another program replaces at the last moment is not moved")
  func replaced() async throws {
    let family = try Family(photos: 31)
    let other = try family.night.scratch.write(Family.backup(32), to: "other.zip")
    let target = family.night.folder("in/a.zip")
    let fault = ArmedFault(
      .then { rename(other.string, target.string) }, of: [.makeDirectory], below: family.night.folder("in"))
    let report = try await family.run()
    fault.disarm()
    #expect(report.backupsImported == 1)
    #expect(report.errors.count == 1)
    #expect(family.moved() == [])
    #expect(try await family.run().backupsImported == 1)
    #expect(try family.photos() == 8)
  }

  @Test("Inbox: a file that is modified during its import is imported again")
  func modified() async throws {
    let family = try Family(photos: 31)
    let path = family.night.folder("in/a.zip")
    let fault = ArmedFault(
      .then {
        let file = FileHandle(forUpdatingAtPath: path.string)
        _ = try? file?.seekToEnd()
        try? file?.write(contentsOf: Data([0]))
      }, of: [.makeDirectory], below: family.night.library.path)
    let report = try await family.run()
    fault.disarm()
    #expect(report.errors.count == 1)
    #expect(try family.names() == ["a.zip"])
    try family.write(Family.backup(31), to: "a.zip")
    #expect(try await family.run().errors == [])
    #expect(try family.photos() == 7)
    #expect(family.moved() == ["a.zip"])
  }

  @Test("Inbox: a link in the inbox is not followed")
  func links() async throws {
    let family = try Family()
    let other = try family.night.scratch.write(Family.backup(31), to: "other.zip")
    try FileManager.default.createSymbolicLink(
      atPath: family.night.folder("in/a.zip").string, withDestinationPath: other.string)
    let report = try await family.run()
    #expect(report.files == [])
    #expect(try family.photos() == 6)
  }

  @Test("Inbox: `imported` that is a link is refused, and the backup stays")
  func importedIsLink() async throws {
    let family = try Family(photos: 31)
    try FileManager.default.createSymbolicLink(
      atPath: family.night.folder("in/imported").string,
      withDestinationPath: family.night.folder("one").string)
    let report = try await family.run()
    #expect(report.errors.count == 1)
    #expect(try family.names() == ["a.zip", "imported"])
    #expect(try family.night.names("one") == [])
  }
}

@Suite struct InboxFaultTests {
  @Test("Inbox: a missing inbox makes the run incomplete, and the library is backed up")
  func missing() async throws {
    let family = try Family()
    try family.night.remove(family.night.folder("in").string)
    let run = try await family.night.backup()
    #expect(run.outcome == .incomplete)
    #expect(run.message?.contains("/in is missing; create the folder") == true)
    #expect(run.archives.count == 1)
  }

  @Test("Inbox: a symbolic link is refused")
  func link() async throws {
    let family = try Family()
    try family.night.move("in", to: "elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: family.night.folder("in").string, withDestinationPath: family.night.folder("elsewhere").string)
    try family.night.scratch.write(Family.backup(31), to: "elsewhere/a.zip")
    let report = try await family.run()
    #expect(report.errors.first?.contains("is a symbolic link") == true)
    #expect(try family.photos() == 6)
  }

  @Test("Inbox: a file in the place of the inbox is refused")
  func file() async throws {
    let family = try Family()
    try family.night.remove(family.night.folder("in").string)
    try family.night.scratch.write([1], to: "in")
    #expect(try await family.run().errors.first?.contains("is not a folder") == true)
  }

  @Test("Inbox: a folder that other users can write to is refused")
  func writable() async throws {
    let family = try Family(photos: 31)
    #expect(chmod(family.night.folder("in").string, 0o777) == 0)
    let report = try await family.run()
    #expect(report.errors.first?.contains("other users can write to") == true)
    #expect(try family.photos() == 6)
  }

  @Test("Inbox: a folder of another user is refused", .enabled(if: geteuid() == 0))
  func otherOwner() async throws {
    let family = try Family(photos: 31)
    #expect(chown(family.night.folder("in").string, 65534, 65534) == 0)
    let report = try await family.run()
    #expect(report.errors.first?.hasPrefix("Anna: ") == true)
    #expect(report.errors.first?.contains("who can change it") == true)
    #expect(try family.photos() == 6)
  }

  @Test("Inbox: a run waits for another one, and gives up after lock-wait")
  func busy() async throws {
    var family = try Family()
    family.night.job.lockWait = 0
    try family.write(Family.backup(31), to: "a.zip")
    let lock = try family.night.context.state.lockInboxes(waiting: .zero, whileWaiting: {})
    await #expect(throws: InboxFault.self) { try await family.run() }
    let run = try await family.night.backup()
    #expect(run.outcome == .incomplete)
    #expect(run.archives.count == 1)
    #expect(try await family.run(dryRun: true).backupsImported == 1)
    lock.release()
    #expect(try await family.run().backupsImported == 1)
  }

  @Test("Inbox: a read-only inbox is refused, unless its backups are kept", .enabled(if: geteuid() != 0))
  func readOnly() async throws {
    for afterImport in ["move", "keep"] {
      let family = try Family(afterImport, photos: 31)
      #expect(chmod(family.night.folder("in").string, 0o500) == 0)
      let report = try await family.run()
      #expect(chmod(family.night.folder("in").string, 0o700) == 0)
      #expect(report.errors.isEmpty == (afterImport == "keep"))
      #expect(try family.photos() == (afterImport == "keep" ? 7 : 6))
    }
  }
}

@Suite struct InboxDeletionTests {
  @Test("Inbox: a backup is deleted after a verified archive contains its photos")
  func delete() async throws {
    let family = try Family("delete", photos: 31, 32)
    let alone = try await family.run()
    #expect(alone.backupsImported == 1)
    #expect(try family.names() == ["a.zip"])
    let run = try await family.night.backup()
    #expect(run.outcome == .done)
    #expect(run.inbox?.deleted == [family.night.folder("in/a.zip").string])
    #expect(try family.names() == [])
  }

  @Test("Inbox: one run imports, backs up, and deletes")
  func oneRun() async throws {
    let family = try Family("delete", photos: 31)
    let run = try await family.night.backup()
    #expect(run.inbox?.backups == 1)
    #expect(run.inbox?.photos == 1)
    #expect(try family.names() == [])
  }

  @Test("Inbox: a backup stays if a photo of it is not in the archive")
  func removedPhoto() async throws {
    var family = try Family("delete", photos: 31)
    // later than the photo of the phone
    family.night.job.taken.since = 1_650_000_000_000
    let run = try await family.night.backup()
    #expect(run.inbox?.deleted == [])
    #expect(try family.names() == ["a.zip"])
  }

  @Test("Inbox: a backup stays if no copy is verified")
  func unverified() async throws {
    var family = try Family("delete")
    family.night.job.verifies = false
    family.night.job.destinations.removeLast()
    try family.write(Family.backup(31), to: "a.zip")
    _ = try await family.night.backup()
    #expect(try family.names() == ["a.zip"])
    family.night.job.verifies = true
    let run = try await family.night.backup()
    #expect(run.outcome == .unchanged)
    #expect(try family.names() == [])
  }

  @Test("Inbox: a damaged backup is never deleted")
  func damaged() async throws {
    let family = try Family("delete")
    try family.write(Family.damagedBackup(), to: "a.zip")
    let run = try await family.night.backup()
    #expect(run.outcome == .incomplete)
    #expect(try family.names() == ["a.zip"])
  }

  @Test("Inbox: an incremental archive and its base together contain the photos")
  func incremental() async throws {
    var family = try Family("delete")
    family.night.job.maximumChainDepth = 7
    try family.write(Family.backup(31), to: "a.zip")
    _ = try await family.night.backup()
    family.night.on(day: 2)
    try family.write(Family.backup(31, 32), to: "b.zip")
    let run = try await family.night.backup()
    #expect(run.inbox?.deleted.count == 1)
    #expect(try family.names() == [])
  }
}

@Suite struct InboxJobFileTests {
  private func faults(_ inbox: String, _ more: String = "") throws -> [String] {
    let text = """
      jobs:
        family:
          library: /srv/Family
          destinations: /srv/backups
          inbox: \(inbox)
      \(more)
      """
    do {
      _ = try JobFile(text: text, path: "/etc/smilepile/config.yaml", home: "/home/anna")
      return []
    } catch {
      return error.faults.map(\.message)
    }
  }

  @Test("Job file: an inbox is a folder, a list of folders, or sections")
  func forms() throws {
    let text = """
      jobs:
        family:
          library: /srv/Family
          destinations: /srv/backups
          inbox: [in, {path: ~/ben, phone: Ben, after-import: keep}]
      """
    let file = try JobFile(text: text, path: "/etc/smilepile/config.yaml", home: "/home/anna")
    let inboxes = try #require(file.jobs.first).inboxes
    #expect(inboxes.map(\.path) == ["/etc/smilepile/in", "/home/anna/ben"])
    #expect(inboxes.map(\.phone) == [nil, "Ben"])
    #expect(inboxes.map(\.afterImport) == [.move, .keep])
  }

  @Test(
    "Job file: an invalid inbox is a mistake",
    arguments: [
      ("[]", "has no folder"), ("[/srv/in, /srv/in]", "is listed twice"), ("/srv/Family/in", "overlap"),
      ("/srv", "overlap"), ("/srv/backups", "overlap"), ("/srv/backups/in", "overlap"),
      ("{phone: Anna}", "has no “path”"), ("{path: /in, after-import: burn}", "must be keep, move or delete"),
      ("$HOME/in", "does not expand"),
    ])
  func mistakes(_ inbox: String, _ message: String) throws {
    let faults = try faults(inbox)
    #expect(!faults.isEmpty)
    #expect(faults.allSatisfy { $0.contains(message) || $0.contains("overlap") }, "\(faults)")
  }

  @Test("Job file: jobs with different libraries share an inbox only if both keep its files")
  func shared() throws {
    let other = """
        other:
          library: /srv/Other
          destinations: /srv/backups2
          inbox: {path: /in, after-import: keep}
      """
    #expect(try faults("/in", other).count == 1)
    #expect(try faults("{path: /in, after-import: keep}", other) == [])
    #expect(try faults("/in", other.replacing("/srv/Other", with: "/srv/Family")) == [])
  }
}

extension Night {
  fileprivate func setModified(_ name: String, to date: Date) throws {
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder(name).string)
  }
}
