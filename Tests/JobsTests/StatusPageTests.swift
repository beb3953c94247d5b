import ArchiveCatalog
import Foundation
import HTML
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// The page shows what the ledger knows, and a job replaces it after each run.
struct StatusPageTests {
  private let now = Date(timeIntervalSince1970: 1_780_000_000)

  private func text(_ night: Night, now: Date? = nil) throws -> String {
    let page = try StatusPage(
      of: Library(path: night.library.path), night.context.state, now: now ?? self.now)
    return String(decoding: page.bytes { $0.message }, as: UTF8.self)
  }

  /// Inserts a backup of the job into the ledger.
  private func insertRun(_ night: Night, daysAgo: Int, _ outcome: LedgerRun.Outcome, free: Int? = nil) {
    let at = Timestamp(now) - Int64(daysAgo) * 86_400_000
    var record = JobStatus.RunRecord(startedAt: at)
    record.outcome = .done
    (record.photos, record.bytes) = (2000 - daysAgo, 1_000_000 * (2000 - daysAgo))
    record.message = outcome == .failed ? "the disk <USB> is full" : nil
    var destination = JobStatus.DestinationRecord(path: night.folder("one").string)
    destination.freeBytes = free
    record.destinations = [destination]
    var run = LedgerRun(record, of: "family", library: night.library.path)
    (run.outcome, run.endedAt) = (outcome, at + 1000)
    night.context.ledger.insert(&run)
  }

  @Test("Status page: the job replaces its page after each run and restore test")
  func jobWritesPage() async throws {
    let night = try await Night.afterBackup("report-file: status.html")
    let first = try String(contentsOfFile: night.folder("status.html").string, encoding: .utf8)
    #expect(first.contains("All 6 photos are in 2 copies"))
    #expect(first.contains("backed up"))
    _ = try await night.drill()
    let second = try String(contentsOfFile: night.folder("status.html").string, encoding: .utf8)
    #expect(second.contains("passed, 12 photos restored"))
  }

  @Test("Status page: a library that cannot be opened replaces the page that called its photos safe")
  func unreadableLibrary() async throws {
    let night = try await Night.afterBackup("report-file: status.html")
    try FileManager.default.moveItem(
      atPath: night.library.path.string, toPath: night.folder("moved away").string)
    _ = try? await night.backup()
    let page = try String(contentsOfFile: night.folder("status.html").string, encoding: .utf8)
    #expect(page.contains("The library cannot be opened"))
    #expect(page.contains("class=\"verdict danger\""))
  }

  @Test("Status page: a killed run needs attention, and its day counts as failed")
  func killedRun() async throws {
    let night = try await Night.afterBackup()
    let record = JobStatus.RunRecord(startedAt: Timestamp(now))
    var run = LedgerRun(record, of: "family", library: night.library.path)
    // the lock of the run ends with this ledger, as with the process
    StateFolder(path: night.context.state.path).ledger.insert(&run)
    let page = try text(night)
    #expect(page.contains("the last run of job “family” was interrupted"))
    #expect(page.contains("the run was stopped"))
  }

  @Test("Status page: a copy is on the device of a library that was moved to the copy's disk")
  func movedLibrary() throws {
    var copy = CopyRecord(path: "/proc", archive: "/proc/self/maps", madeAt: 0, files: [])
    copy.locate(from: "/proc/self")
    #expect(copy.isOnSameDevice)
    copy.locate(from: "/")
    #expect(!copy.isOnSameDevice)
    copy.archive = "/proc/none"
    copy.locate(from: "/proc/self")
    #expect(!copy.isOnSameDevice)
    (copy.archive, copy.isOnSameDevice) = ("/proc/self/maps", true)
    copy.locate(from: "/proc/self/none")
    #expect(copy.isOnSameDevice)
  }

  @Test("Status page: a file of another program is not replaced, and the run is incomplete")
  func thirdPartyFile() async throws {
    let night = try Night("report-file: status.html")
    try Data("<!DOCTYPE html>\n<html>my page".utf8).write(
      to: URL(fileURLWithPath: night.folder("status.html").string))
    #expect(try await night.backup().outcome == .incomplete)
    #expect(
      try String(contentsOfFile: night.folder("status.html").string, encoding: .utf8)
        == "<!DOCTYPE html>\n<html>my page")
  }

  @Test("Status page: it has no script and no address, and escapes names and messages")
  func escaped() throws {
    let night = try Night()
    var edit = LibraryEdit()
    edit.newCategories = [.sample(9, "<script>alert(1)</script>\u{202E}")]
    try night.library.change(edit)
    insertRun(night, daysAgo: 0, .failed)
    let page = try text(night)
    #expect(page.starts(with: WatchedFile.startOfPage))
    #expect(!page.contains("<script"))
    #expect(!page.contains("http:"))
    #expect(!page.contains("https:"))
    #expect(!page.contains("\u{202E}"))
    #expect(page.contains("&lt;Script&gt;Alert(1)&lt;/Script&gt;"))
    #expect(page.contains("the disk &lt;USB&gt; is full"))
  }

  @Test("Status page: each outcome has a shape of its own")
  func shapes() throws {
    let night = try Night()
    for (age, outcome) in [LedgerRun.Outcome.done, .unchanged, .incomplete, .failed].enumerated() {
      insertRun(night, daysAgo: age, outcome)
    }
    let page = try text(night)
    for (place, outcome) in BackupHistory.Outcome.allCases.enumerated() {
      #expect(page.contains("class=\"n\(place)\""), "\(outcome)")
    }
    #expect(page.contains("Days of the last year: 1 failed, 1 incomplete, 1 unchanged, 1 backed up"))
  }

  @Test("Status page: the best run of a day counts, and runs of the future do not")
  func days() throws {
    let night = try Night()
    insertRun(night, daysAgo: 3, .failed)
    insertRun(night, daysAgo: 3, .done)
    insertRun(night, daysAgo: 3, .failed)
    insertRun(night, daysAgo: -5, .done)
    let status = night.context.state.status(of: "family")
    let history = BackupHistory(of: [status], night.context.ledger, DayCount(now: now, .current))
    #expect(history.days.map(\.age) == [3])
    #expect(history.days.map(\.outcome) == [.done])
  }

  @Test("Status page: five years of nights are at most 300 KB")
  func fiveYears() throws {
    let night = try Night()
    for age in 0..<1825 { insertRun(night, daysAgo: age, age % 9 == 0 ? .failed : .done, free: 1 << 40) }
    let page = try text(night)
    #expect(page.utf8.count < 300_000)
    #expect(page.contains("from 176 photos to 1,999 photos in 1,823 days"))
  }

  @Test(
    "Status page: a disk that shrinks by 1 GB a day is full in as many days as it has GB",
    arguments: [(1, 20), (0, nil), (-1, nil)])
  func forecast(perDay: Int, expected: Int?) {
    let points = (0...30).reversed().map { age in
      (at: Timestamp(now) - Int64(age) * 86_400_000, bytes: (20 + perDay * age) * 1_000_000_000)
    }
    #expect(BackupHistory.daysUntilFull(points, now: now) == expected)
    #expect(BackupHistory.daysUntilFull(Array(points.suffix(5)), now: now) == nil)
    let later = now.addingTimeInterval(10 * 86_400)
    #expect(BackupHistory.daysUntilFull(points, now: later) == expected.map { $0 - 10 })
  }

  @Test("Status page: text has a contrast of at least 4.5 in both appearances, and lines of 3")
  func contrast() throws {
    let style = "\(StatusPage.style)"
    let tokens = style.matches(of: #/--(\w+): #([0-9A-F]{6})/#)
    #expect(tokens.count == 16)
    for part in [tokens.prefix(8), tokens.suffix(8)] {
      let colors = try Dictionary(
        uniqueKeysWithValues: part.map { (String($0.1), Color(try #require(UInt32($0.2, radix: 16)))) })
      for background in ["back", "card"] {
        for text in ["text", "muted", "safe", "attention", "danger"] {
          #expect(try #require(colors[text]).contrast(with: #require(colors[background])) >= 4.5, "\(text)")
        }
        #expect(try #require(colors["line"]).contrast(with: #require(colors[background])) >= 3)
      }
    }
  }
}
