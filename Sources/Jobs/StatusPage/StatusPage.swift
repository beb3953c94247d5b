import Backup
import FileSystem
import Foundation
import HTML
import Operations
import PhotoLibrary
import SystemPackage

/// A page that shows whether the photos of a library are safe: one HTML file without scripts, which requests nothing.
package struct StatusPage {
  /// A category, and the number of its photos.
  struct CategorySize: Sendable {
    let name: String
    let color: String?
    let photos: Int
  }

  let protection: LibraryProtection
  /// Whether the photos are safe.
  package let verdict: ProtectionVerdict
  let history: BackupHistory
  let categories: [CategorySize]
  let now: Date
  let days: DayCount

  /// Reads what the page shows. Blocks; reads no archive and writes nothing.
  package init(of library: Library, _ state: StateFolder, now: Date = Date(), calendar: Calendar = .current)
    throws
  {
    self.now = now
    days = DayCount(now: now, calendar)
    protection = try LibraryProtection(of: library, state)
    verdict = ProtectionVerdict(of: protection, now: now, calendar: calendar)
    history = BackupHistory(of: protection.jobs, state.ledger, days)
    let counts = try library.photoCounts()
    categories = try library.categories().sorted { $0.position < $1.position }
      .map { CategorySize(name: $0.displayName, color: $0.colorHex, photos: counts[$0.id] ?? 0) }
  }

  /// Shows that a library cannot be opened, and what is known of its copies. Blocks; reads no archive.
  ///
  /// - Parameters:
  ///   - problem: why it cannot be opened.
  ///   - job: the job that backs it up.
  init(
    ofUnreadable path: FilePath, _ problem: String, backedUpBy job: JobStatus, _ state: StateFolder, now: Date
  ) {
    self.now = now
    days = DayCount(now: now, .current)
    protection = LibraryProtection(ofUnreadable: path, problem, backedUpBy: job, state)
    verdict = ProtectionVerdict(of: protection, now: now)
    history = BackupHistory(of: protection.jobs, state.ledger, days)
    categories = []
  }

  /// Returns the page.
  ///
  /// - Parameter message: returns the text of an action with its remedy.
  package func bytes(_ message: (Finding) -> String) -> [UInt8] {
    var page = HTMLDocument()
    page.element("html", ["lang": "en", "data-made-by": "smilepile-report"]) { html in
      html.newline()
      html.head(
        title: "\(verdict.level.sign) \(protection.path.lastComponent?.string ?? "Library")", Self.style,
        ContentSecurityPolicy(style: Self.style))
      html.newline()
      html.element("body") { body in
        body.element("main") { content(&$0, message) }
        body.element("footer") { footer in
          footer.element(
            "p",
            text:
              "Made by smilepile \(Version.current) at \(now.formatted(.iso8601)). This page does not change by itself."
          )
        }
      }
    }
    page.newline()
    return [UInt8](page.source.utf8)
  }

  /// Publishes the page atomically, readable for all. Replaces only an earlier page. Blocks.
  ///
  /// - Parameter message: returns the text of an action with its remedy.
  /// - Throws: `FileError`, `LibraryError.outputInLibrary`, or an error if another file has the name.
  package func write(to path: FilePath, outside state: StateFolder, message: (Finding) -> String) throws {
    try WatchedFile.page.replace(path, with: bytes(message), outside: state.path)
  }

  private func content(_ main: inout HTMLDocument, _ message: (Finding) -> String) {
    main.element("h1") { title in
      title.text("Photos of ")
      title.name(protection.path.lastComponent?.string ?? protection.path.string)
    }
    main.element("p", ["class": "verdict \(verdict.level.rawValue)"]) { sentence in
      sentence.element("span", ["class": "sign", "aria-hidden": "true"], text: verdict.level.sign)
      sentence.text(" \(verdict.sentence)")
    }
    if !verdict.actions.isEmpty {
      main.element("h2", text: "What to do")
      main.element("ol", ["class": "actions"]) { list in
        for action in verdict.actions { list.element("li", text: message(action)) }
      }
    }
    copies(&main)
    backupCalendar(&main)
    growth(&main)
    tests(&main)
    categoryBars(&main)
  }

  // MARK: Backups

  private func backupCalendar(_ main: inout HTMLDocument) {
    main.newline()
    main.element("h2", text: "A year of backups")
    let year = history.days.filter { $0.age < BackupCalendar.days }
    guard !year.isEmpty else { return main.element("p", text: "No job has run yet.") }
    let outcomes = Dictionary(uniqueKeysWithValues: year.map { ($0.age, $0.outcome) })
    BackupCalendar(outcomes: outcomes, weekday: days.weekday(now)).write(&main)
    main.element("details") { details in
      details.element("summary", text: "Every day with a backup")
      details.element("table") { table in
        header(["Day", "Outcome", "Reason"], &table)
        table.element("tbody") { body in
          for day in year.reversed() {
            body.element("tr") { row in
              row.element("th", ["scope": "row"], text: days.day(day.at))
              row.element("td", text: day.outcome.words)
              row.element("td", text: day.outcome < .unchanged ? String((day.message ?? "").prefix(200)) : "")
            }
            body.newline()
          }
        }
      }
    }
  }

  func header(_ titles: [String], _ table: inout HTMLDocument) {
    table.element("thead") { head in
      head.element("tr") { row in
        for title in titles { row.element("th", ["scope": "col"], text: title) }
      }
    }
  }

  // MARK: Growth

  private func growth(_ main: inout HTMLDocument) {
    let sizes = history.days.compactMap { day in day.size.map { (age: day.age, size: $0) } }
    guard let first = sizes.first, let last = sizes.last, first.age > last.age else { return }
    main.newline()
    main.element("h2", text: "Growth")
    let period = "in \(Count(first.age - last.age, "day").grouped)"
    main.element("div", ["class": "charts"]) { charts in
      func curve(_ title: String, _ value: ((photos: Int, bytes: Int)) -> Int, _ text: (Int) -> String) {
        GrowthChart(
          title: title, points: sizes.map { (x: Double(-$0.age), y: Double(value($0.size))) },
          label: "from \(text(value(first.size))) to \(text(value(last.size))) \(period)"
        ).write(&charts)
      }
      curve("Photos", \.photos) { Count($0, "photo").grouped }
      curve("Space", \.bytes) { "\(ByteCount($0))" }
    }
  }

  // MARK: Restore tests

  /// The page shows this many of the newest restore tests.
  private static let mostTests = 24

  private func tests(_ main: inout HTMLDocument) {
    main.newline()
    main.element("h2", text: "Restore tests")
    guard !history.tests.isEmpty else {
      return main.element("p", text: "No restore test has run yet.")
    }
    main.element("ol", ["class": "tests"]) { list in
      for test in history.tests.suffix(Self.mostTests) {
        list.element("li") { item in
          item.element("span", ["class": test.hasPassed ? "safe" : "danger", "aria-hidden": "true"]) {
            $0.text(test.hasPassed ? "✔" : "✖")
          }
          item.text(
            " \(days.day(test.at)): \(test.hasPassed ? "passed" : "failed"), "
              + "\(Count(test.photos, "photo").grouped) restored")
        }
      }
    }
  }
}

extension ProtectionVerdict.Level {
  /// A sign that does not depend on colour.
  package var sign: String {
    switch self {
    case .safe: "✔"
    case .attention: "▲"
    case .danger: "✖"
    }
  }
}

extension BackupHistory.Outcome {
  /// The outcome for people.
  var words: String {
    switch self {
    case .none: "no backup"
    case .failed: "failed"
    case .incomplete: "incomplete"
    case .unchanged: "unchanged"
    case .done: "backed up"
    }
  }
}
