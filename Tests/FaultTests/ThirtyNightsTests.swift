import Backup
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

/// Simulates a month of backups. The library changes each day, and a job runs each night with a simulated clock. One
/// run is killed, two find full disks, and one misses a destination. The remaining archives are restored and compared
/// byte for byte.
@Suite struct ThirtyNightsTests {
  @Test(
    "Thirty nights: every archive that remains restores the library of its night",
    arguments: [(1, false), (2, true)] as [(UInt64, Bool)])
  func remainingArchives(seed: UInt64, isIncremental: Bool) async throws {
    var family = try Family(seed: seed, isIncremental: isIncremental)
    for night in 1...30 {
      try await family.changeLibrary(on: night)
      switch night {
      case 11: try await family.runKilled(night, at: Int(seed) * 60)
      case 17: try await family.run(night, full: ["one"])
      case 19: try await family.run(night, full: ["one", "two"])
      case 23: try await family.run(night, missing: "two")
      default: try await family.run(night)
      }
    }
    try await family.checkRemainingArchives()
  }
}

/// A library, its job, and the expected results of the job.
private struct Family {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary
  private let job: Job
  private let context: JobEnvironment
  private var random: SeededNumbers
  private var nextID: Int64 = 1
  /// The content of the library by its content fingerprint.
  private var contentByFingerprint: [String: Content] = [:]
  /// The content fingerprint of the newest archive at both destinations; nil if it is not known.
  private var backedUp: String?
  private var wasKilled = false
  private let isIncremental: Bool

  /// Categories, and the bytes of photos in them.
  private struct Content: Equatable {
    var categories: [String: String]
    var photos: [String: [[UInt8]]]
  }

  init(seed: UInt64, isIncremental: Bool) throws {
    self.isIncremental = isIncremental
    random = SeededNumbers(seed: seed)
    library = try SampleLibrary(categories: [.sample(1, "family"), .sample(2, "trips")])
    for name in ["one", "two", "state"] { try scratch.makeFolder(name) }
    let text = """
      jobs:
        family:
          library: \(library.path)
          destinations: [one, two]
          retention: {keep-daily: 5, keep-weekly: 2}
          incremental: \(isIncremental)
          status-file: status.json
          prometheus-file: family.prom
      """
    let path = try scratch.write(text, to: "jobs.yaml")
    job = try #require(try JobFile(path, environment: [:]).jobs.first)
    context = JobEnvironment(
      state: StateFolder(path: scratch.path.appending("state")), password: { _ in throw CancellationError() },
      exitCode: { _ in 1 })
  }

  /// Night 1 is 2026-01-01, 02:00 UTC, which is day 0 of the clock of FaultWalk.
  private func date(_ night: Int) -> Date {
    Date(timeIntervalSince1970: 1_767_232_800 + Double(night - 1) * 86400)
  }

  // MARK: Changes of the library

  mutating func changeLibrary(on day: Int) async throws {
    guard day == 1 || random.next() % 4 > 0 else { return }
    let count = Int(random.next() % 3) + (day == 1 ? 5 : 0)
    try add(count)
    if day > 1, random.next() % 3 == 0 {
      let ids = try library.contents.photos.map(\.id)
      guard ids.count > 3 else { return }
      let selection = LibrarySelection(ids: [ids[Int(random.next() % UInt64(ids.count))]])
      _ = try await Work.remove(selection, from: library.path, options: .given).summary
    }
    if random.next() % 8 == 0 {
      var edit = LibraryEdit()
      var category = try library.contents.categories[0]
      category.displayName = "Family of day \(day)"
      category.valuesAsOf = Timestamp(date(day))
      edit.changedCategories = [category]
      try LibraryWriter(path: library.path).change(.add) { try $0.commit(edit, files: []) }
    }
  }

  private mutating func add(_ count: Int) throws {
    var members: [SampleLibrary.Member] = []
    for _ in 0..<count {
      let bytes = (0..<Int(random.next() % 4000) + 1).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      members.append(
        .init(
          id: nextID, category: Int64(random.next() % 2) + 1, fileName: "IMG_\(nextID).jpg",
          createdAt: 1_760_000_000_000, bytes: bytes))
      nextID += 1
    }
    try library.change(adding: members)
  }

  private func content(of path: FilePath) throws -> Content {
    let library = try Library(path: path)
    let contents = try library.contents()
    var content = Content(categories: [:], photos: [:])
    for category in contents.categories {
      content.categories[category.name] = category.displayName
      content.photos[category.name] = []
    }
    let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
    for photo in contents.photos {
      let file = path.appending(FilePath(photo.path).components).string
      content.photos[names[photo.categoryId] ?? "", default: []]
        .append(Array(try Data(contentsOf: URL(fileURLWithPath: file))))
    }
    content.photos = content.photos.mapValues { $0.sorted { $0.lexicographicallyPrecedes($1) } }
    return content
  }

  private func fingerprint() async throws -> String {
    var options = ExportOptions()
    options.isDryRun = true
    return try await Work.export(library.path, to: scratch.path, options: options).summary.fingerprint
  }

  // MARK: Runs of the job

  /// Runs the job while the disks of some destinations are full, or one destination is missing.
  mutating func run(_ night: Int, full: [String] = [], missing: String? = nil) async throws {
    let fingerprint = try await fingerprint()
    contentByFingerprint[fingerprint] = try content(of: library.path)
    let hasChanges = fingerprint != backedUp
    let faults = full.map { name in
      ArmedFault(.error(.noSpace), of: [.write], persists: true, below: scratch.path.appending(name))
    }
    if let missing { try move(missing, to: "\(missing)-away") }
    var context = context
    let moment = date(night)
    context.now = { moment }
    let report = try await Work.backup(job, context).summary
    for fault in faults { fault.disarm() }
    if let missing { try move("\(missing)-away", to: missing) }

    // the report agrees with the faults
    let expected: JobStatus.Outcome =
      if missing != nil {
        .incomplete
      } else if hasChanges && full.count == 2 {
        .failed
      } else if hasChanges && full.count == 1 {
        .incomplete
      } else if wasKilled {
        // the killed run may have completed some or all destinations
        report.run.outcome.isComplete ? report.run.outcome : .done
      } else {
        hasChanges ? .done : .unchanged
      }
    #expect(report.run.outcome == expected, "night \(night): \(report.run)")
    #expect(report.run.exitCode == (expected.isComplete ? 0 : expected == .incomplete ? 3 : 1))
    #expect(report.run.warnings.contains { $0.contains("was cut off") } == wasKilled, "night \(night)")
    let status = context.state.status(of: "family")
    #expect(status.run?.outcome == expected)
    #expect(status.run?.exitCode == report.run.exitCode)
    #expect(status.run?.startedAt == Timestamp(moment))
    let written = try Data(contentsOf: URL(fileURLWithPath: scratch.path.appending("status.json").string))
    #expect(try Array(written) == status.json())
    for record in report.run.destinations where record.failure == nil {
      let newest = try ArchiveInventory(folder: FilePath(record.path)).archives.last
      #expect(newest?.fingerprint == fingerprint, "night \(night): \(record.path)")
    }
    try checkNoFragments(night)
    wasKilled = false
    backedUp = expected.isComplete ? fingerprint : nil
  }

  /// Runs the job in a child process, which is killed at a system call.
  mutating func runKilled(_ night: Int, at call: Int) async throws {
    let fingerprint = try await fingerprint()
    contentByFingerprint[fingerprint] = try content(of: library.path)
    let program = try #require(Programs.built("FaultWalk"))
    // the child runs the job on the day after
    try scratch.write("\(night - 2)", to: "clock")
    let child = try Programs.run(
      program, ["--child", "backup", "kill after", "\(call)", scratch.path.string])
    #expect([0, Programs.killed].contains(child.status), "\(child.text)")
    wasKilled = self.context.state.status(of: "family").run?.outcome == .running
    try checkNoFragments(night)
    backedUp = nil
  }

  private func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(
      atPath: scratch.path.appending(name).string, toPath: scratch.path.appending(other).string)
  }

  /// Expects that every file with the name of an archive is readable.
  private func checkNoFragments(_ night: Int) throws {
    for name in ["one", "two"] {
      let inventory = try ArchiveInventory(folder: scratch.path.appending(name))
      #expect(inventory.unreadable.isEmpty, "night \(night): \(inventory.unreadable)")
    }
  }

  // MARK: Restore

  func checkRemainingArchives() async throws {
    for name in ["one", "two"] {
      let folder = scratch.path.appending(name)
      let inventory = try ArchiveInventory(folder: folder)
      // bases of other archives are kept too
      #expect(
        (5...(isIncremental ? 24 : 8)).contains(inventory.archives.count), "\(inventory.archives.map(\.name))"
      )
      #expect(inventory.archives.last?.fingerprint == (try await fingerprint()))
      for archive in inventory.archives {
        let copy = scratch.path.appending("restored-\(name)-\(archive.name)")
        try Library.create(at: copy)
        let summary = try await Work.import([FilePath(archive.path)], into: copy).summary
        #expect(!summary.isIncomplete, "\(summary)")
        let expected = try #require(contentByFingerprint[archive.fingerprint ?? ""])
        #expect(try content(of: copy) == expected, "\(archive.name) restores other content")
      }
      // no partial file is left
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
      #expect(names.filter { $0.hasPrefix(".") } == [])
    }
    #expect(try library.faults() == [])
    #expect(
      try String(contentsOfFile: scratch.path.appending("family.prom").string, encoding: .utf8).contains(
        "smilepile_backup_last_exit_code{job_name=\"family\"} 0"))
  }
}
