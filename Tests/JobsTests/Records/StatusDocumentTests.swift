import ArchiveCatalog
import Backup
import Foundation
import Operations
import TestSupport
import Testing

@testable import Jobs

/// `docs/reference/status-file.md` and `metrics.md` list every key, every metric and the report of a restore test.
@Suite struct StatusDocumentTests {
  private let document: Document
  private let metrics: Document

  init() throws {
    document = try Document("reference/status-file.md")
    metrics = try Document("reference/metrics.md")
  }

  /// A status in which every property has a value.
  private var completeStatus: JobStatus {
    var run = JobStatus.RunRecord(startedAt: 1)
    (run.outcome, run.finishedAt, run.exitCode, run.message) = (.incomplete, 2, 3, "absent")
    (run.hook, run.nextRunAt) = ("finally", 5)
    var destination = JobStatus.DestinationRecord(path: "/one")
    destination.failure = "it is not there"
    destination.freeBytes = 1 << 30
    run.destinations = [destination]
    run.inbox = JobStatus.InboxRecord()
    var status = JobStatus(job: "family")
    (status.run, status.lastSuccess, status.lastPassedTestAt) = (run, run, 4)
    (status.libraryID, status.restoreTestFailure) = ("1", "wrong password")
    let found = CopyRecord(
      path: "/one", archive: "/one/a.zip", others: ["/one/b.zip"], madeAt: 1, sequence: 1, mountPoint: "/",
      isOnSameDevice: true, isInMemory: true, isSelection: true, missingPhotos: 1,
      files: [.init(location: "/one/a.zip", bytes: 1, modifiedAt: 2, changedAt: 3)])
    status.copies = [.suspect(since: 3, reason: "b.zip: photo 1 is damaged"), .verified(at: 2)].map {
      JobStatus.Copy(found: found, health: $0, reachability: .missing)
    }
    status.lastRestoreTest = JobStatus.RestoreTestRecord(
      at: 1, hasPassed: true, archive: "/one/a.zip", photos: 1, damaged: 1, round: 1,
      report: "/state/drills/a.txt")
    var test = JobStatus.DestinationTestRecord(passed: "/one", at: 1)
    (test.archive, test.failure) = ("/one/a.zip", "photo 1 is damaged")
    status.restoreTests = [test]
    return status
  }

  /// The names of the properties that are nil, at any depth.
  private func nilProperties(_ value: Any) -> [String] {
    Mirror(reflecting: value).children.flatMap { child -> [String] in
      let mirror = Mirror(reflecting: child.value)
      let isNothing = mirror.displayStyle == .optional && mirror.children.isEmpty
      return (isNothing ? [child.label ?? "?"] : []) + nilProperties(child.value)
    }
  }

  @Test("Status file document: every key is listed")
  func keys() throws {
    let status = completeStatus
    #expect(nilProperties(status) == [], "set it in `completeStatus`")
    let json = try JSONSerialization.jsonObject(with: Data(status.json()))
    let all = try #require(json as? [String: Any])
    let run = try #require(all["run"] as? [String: Any])
    let copies = try #require(all["copies"] as? [[String: Any]])
    let parts = [
      "All of it": all, "A run (`run`, `last_success`)": run,
      "An inbox (`run.inbox`)": try #require(run["inbox"] as? [String: Any]),
      "A destination (`run.destinations`)": try #require((run["destinations"] as? [[String: Any]])?.first),
      "A copy (`copies`)": copies[0].merging(copies[1]) { one, _ in one },
      "A file of a copy (`copies.files`)": try #require((copies[0]["files"] as? [[String: Any]])?.first),
      "A restore test at a destination (`restore_tests`)": try #require(
        (all["restore_tests"] as? [[String: Any]])?.first),
      "A restore test (`last_restore_test`)": try #require(all["last_restore_test"] as? [String: Any]),
    ]
    for (heading, object) in parts {
      let documented = document.rows(below: heading).flatMap { Document.code(in: $0[0]) }
      #expect(documented.sorted() == object.keys.sorted(), "\(heading)")
    }
    let outcomes = document.rows(below: "A run (`run`, `last_success`)").first { $0[0] == "`outcome`" }
    let written = JobStatus.Outcome.allCases.filter { $0 != .notBegun }
    #expect(Document.code(in: outcomes?[1] ?? "") == written.map(\.rawValue))
  }

  @Test("Metrics document: every metric is listed with its labels")
  func metricLabels() {
    let text = PrometheusText(completeStatus).text
    var printed: [String: [String]] = [:]
    for sample in text.matches(of: #/(?m)^(\w+)\{(.*)\} /#) {
      printed[String(sample.1)] = sample.2.matches(of: /(\w+)="/).map { String($0.1) }
    }
    let rows = metrics.rows(below: "Metrics for Prometheus")
    let documented = rows.map { (Document.code(in: $0[0]).joined(), Document.code(in: $0[1])) }
    #expect(Dictionary(documented) { first, _ in first } == printed)
    #expect(text.matches(of: /# TYPE \w+ gauge\n/).count == rows.count)
  }

  @Test("Status file document: the report of a restore test is as shown")
  func report() throws {
    let name = "smilepile_backup_20261122_023000.zip"
    func restore(in folder: String, identical: Int, images: Int) -> ArchiveRestore {
      let archive = ArchiveDescriptor(path: "\(folder)/\(name)", fileBytes: 1, modifiedAt: 1)
      var restore = ArchiveRestore(members: [archive], files: [], coverage: .all)
      (restore.comparison.identical, restore.comparison.images) = (identical, images)
      return restore
    }
    var good = restore(in: "/srv/backups/family", identical: 98, images: 99)
    good.comparison.notInLibrary = 2
    good.comparison.notes = ["photo 7 “notes” in “Family”: unknown image format"]
    var bad = restore(in: "/mnt/usb/family", identical: 98, images: 99)
    bad.failures = [Finding(.photo(id: 8, label: "photo 8 “beach” in “Family”"), "its bytes are damaged")]
    bad.comparison.damagedInLibrary = [
      Finding(
        .photo(id: 9, label: "photo 9 “lake” in “Family”"), "its file in the library is missing or corrupt")
    ]
    var report = RestoreTestReport()
    report.results = [
      RestoreTestResult(destination: "/srv/backups/family", outcome: .restored(good)),
      RestoreTestResult(destination: "/mnt/usb/family", outcome: .restored(bad)),
    ]
    let text = report.text(
      of: Job(name: "family"), library: "/home/anna/Family", at: Date(timeIntervalSince1970: 1_795_318_200))
    #expect(document.text.contains("```text\n\(text)```\n"), "\(text)")
  }
}
