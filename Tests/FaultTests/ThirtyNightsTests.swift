import Backup
import Checksums
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

/// A month of a family's backups: the library changes by day, a job runs by night under a clock of its own, one night
/// is cut off, the disk is full in another. What remains is restored and compared byte for byte.
@Suite struct ThirtyNightsTests {
  @Test(arguments: [(1, false), (2, true)] as [(UInt64, Bool)])
  func whatRemainsRestores(seed: UInt64, isIncremental: Bool) async throws {
    var family = try Family(seed: seed, isIncremental: isIncremental)
    for night in 1...30 {
      try await family.live(through: night)
      switch night {
      case 11: try await family.runKilled(night, at: Int(seed) * 60)
      case 17: try await family.run(night, full: ["one"])
      case 19: try await family.run(night, full: ["one", "two"])
      case 23: try await family.run(night, gone: "two")
      default: try await family.run(night)
      }
    }
    try await family.checkWhatRemains()
  }
}

/// A library, its job, and what is known of both.
private struct Family {
  private let scratch: ScratchFolder
  private let library: SampleLibrary
  private let job: Job
  private let context: JobContext
  private var random: SeededNumbers
  private var nextID: Int64 = 1
  /// What the library held, by its state.
  private var states: [String: Held] = [:]
  /// The state that lies at both destinations, as far as one can tell.
  private var backedUp: String?
  private var wasKilled = false
  private let isIncremental: Bool

  /// Categories, and the bytes of photos in them.
  private struct Held: Equatable {
    var categories: [String: String]
    var photos: [String: [[UInt8]]]
  }

  init(seed: UInt64, isIncremental: Bool) throws {
    self.isIncremental = isIncremental
    random = SeededNumbers(seed: seed)
    scratch = try ScratchFolder()
    library = try SampleLibrary(categories: [.sample(1, "family"), .sample(2, "trips")])
    for name in ["one", "two", "state"] { _ = try scratch.makeFolder(name) }
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
    let path = try scratch.write(Array(text.utf8), to: "jobs.yaml")
    job = try #require(try JobFile(path, environment: [:]).jobs.first)
    context = JobContext(
      state: StateFolder(path: scratch.path.appending("state")), password: { _ in throw CancellationError() },
      exitCode: { _ in 1 })
  }

  /// Two in the morning, from the first of January 2026.
  /// Reads a status file, as another program does.
  private static func status(in file: FilePath) throws -> JobStatus {
    return try JSONDecoder.ofStatusFiles.decode(
      JobStatus.self, from: Data(contentsOf: URL(fileURLWithPath: file.string)))
  }

  private func date(_ night: Int) -> Date {
    Date(timeIntervalSince1970: 1_767_232_800 + Double(night - 1) * 86400)
  }

  // MARK: By day

  mutating func live(through day: Int) async throws {
    guard day == 1 || random.next() % 4 > 0 else { return }
    let count = Int(random.next() % 3) + (day == 1 ? 5 : 0)
    try add(count)
    if day > 1, random.next() % 3 == 0 {
      let ids = try library.contents.photos.map(\.id)
      guard ids.count > 3 else { return }
      var selection = RemoveSelection()
      selection.ids = [ids[Int(random.next() % UInt64(ids.count))]]
      var options = RemoveOptions()
      options.authorization = .given
      _ = try await Work.remove(selection, from: library.path, options: options).summary
    }
    if random.next() % 8 == 0 {
      var edit = LibraryEdit()
      var category = try library.contents.categories[0]
      category.displayName = "Family of day \(day)"
      category.valuesAsOf = date(day).milliseconds
      edit.changedCategories = [category]
      try LibraryWriter(path: library.path).change(.add) { try $0.commit(edit, files: []) }
    }
  }

  private mutating func add(_ count: Int) throws {
    guard count > 0 else { return }
    let writer = try LibraryWriter(path: library.path)
    var edit = LibraryEdit()
    var files: [[UInt8]] = []
    for _ in 0..<count {
      let bytes = (0..<Int(random.next() % 4000) + 1).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      files.append(bytes)
      edit.newPhotos.append(
        Photo(
          id: nextID, categoryId: Int64(random.next() % 2) + 1, name: "IMG_\(nextID)", path: "",
          originalPath: "IMG_\(nextID).jpg", createdAt: 1_760_000_000_000, fileSize: bytes.count,
          md5: MD5Digest(of: bytes)))
      nextID += 1
    }
    try writer.change(.add) { change in
      let paths = try writer.newPaths(for: edit.newPhotos.map { ($0.fileName, $0.createdAt) })
      var staged: [Change.StagedFile] = []
      for (index, path) in paths.enumerated() {
        try change.stage("\(index)").write(files[index], at: 0)
        edit.newPhotos[index].path = path
        staged.append(Change.StagedFile(name: "\(index)", path: path, md5: MD5Digest(of: files[index])))
      }
      try change.commit(edit, files: staged)
    }
  }

  private func held(_ path: FilePath) throws -> Held {
    let library = try Library(path: path)
    let contents = try library.contents()
    var held = Held(categories: [:], photos: [:])
    for category in contents.categories {
      held.categories[category.name] = category.displayName
      held.photos[category.name] = []
    }
    let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
    for photo in contents.photos {
      let file = path.appending(FilePath(photo.path).components).string
      held.photos[names[photo.categoryId] ?? "", default: []]
        .append(Array(try Data(contentsOf: URL(fileURLWithPath: file))))
    }
    held.photos = held.photos.mapValues { $0.sorted { $0.lexicographicallyPrecedes($1) } }
    return held
  }

  private func state() async throws -> String {
    var options = ExportOptions()
    options.isDryRun = true
    return try await Work.export(library.path, to: scratch.path, options: options).summary.state
  }

  // MARK: By night

  /// A run, with the destinations of these names on a disk that is full, or one that is gone.
  mutating func run(_ night: Int, full: [String] = [], gone: String? = nil) async throws {
    let state = try await state()
    states[state] = try held(library.path)
    let isNews = state != backedUp
    let faults = full.map { name in
      ArmedFault(
        Fault(
          .error(.noSpace), of: .only([.write]), persists: true, below: scratch.path.appending(name)))
    }
    if let gone { try move(gone, to: "\(gone)-away") }
    var context = context
    let moment = date(night)
    context.now = { moment }
    let report = try await Work.backup(job, context).summary
    for fault in faults { fault.disarm() }
    if let gone { try move("\(gone)-away", to: gone) }

    // what it says is true
    let expected: JobStatus.Outcome =
      if gone != nil {
        .incomplete
      } else if isNews && full.count == 2 {
        .failed
      } else if isNews && full.count == 1 {
        .incomplete
      } else if wasKilled {
        // what was cut off may have been done already, in part or whole
        report.run.outcome.isSuccess ? report.run.outcome : .done
      } else {
        isNews ? .done : .unchanged
      }
    #expect(report.run.outcome == expected, "night \(night): \(report.run)")
    #expect(report.run.exitCode == (expected.isSuccess ? 0 : expected == .incomplete ? 3 : 1))
    #expect(report.run.warnings.contains { $0.contains("was cut off") } == wasKilled, "night \(night)")
    let written = try Self.status(in: scratch.path.appending("status.json"))
    #expect(written.run?.outcome == expected && written.run?.exitCode == report.run.exitCode)
    #expect(written.run?.startedAt == moment.milliseconds)
    #expect(context.state.status(of: "family") == written)
    for record in report.run.destinations where record.failure == nil {
      let newest = try ArchiveInventory(folder: FilePath(record.path)).archives.last
      #expect(newest?.fingerprint == state, "night \(night): \(record.path)")
    }
    try checkNoFragments(night)
    wasKilled = false
    backedUp = expected.isSuccess ? state : nil
  }

  /// A run in a process of its own that does not live to its end.
  mutating func runKilled(_ night: Int, at call: Int) async throws {
    let state = try await state()
    states[state] = try held(library.path)
    let program = try #require(Programs.built("FaultWalk"))
    let (status, output) = try Programs.run(
      program,
      [
        "--night", scratch.path.appending("jobs.yaml").string, scratch.path.appending("state").string,
        "\(date(night).timeIntervalSince1970)", "\(call)",
      ], in: scratch.path.string)
    // Foundation gives the signal that ended it
    #expect(status == SIGKILL || status == 0, "\(output)")
    wasKilled = self.context.state.status(of: "family").run?.outcome == .running
    try checkNoFragments(night)
    backedUp = nil
  }

  private func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(
      atPath: scratch.path.appending(name).string, toPath: scratch.path.appending(other).string)
  }

  /// Whatever has an archive's name is a whole one.
  private func checkNoFragments(_ night: Int) throws {
    for name in ["one", "two"] {
      let catalog = try ArchiveInventory(folder: scratch.path.appending(name))
      #expect(catalog.unreadable.isEmpty, "night \(night): \(catalog.unreadable)")
    }
  }

  // MARK: In the end

  func checkWhatRemains() async throws {
    for name in ["one", "two"] {
      let folder = scratch.path.appending(name)
      let catalog = try ArchiveInventory(folder: folder)
      // those that others rest on stay too
      #expect(
        (5...(isIncremental ? 24 : 8)).contains(catalog.archives.count), "\(catalog.archives.map(\.name))")
      #expect(catalog.archives.last?.fingerprint == (try await state()))
      for archive in catalog.archives {
        let copy = scratch.path.appending("restored-\(name)-\(archive.name)")
        try Library.create(at: copy)
        let summary = try await Work.import([FilePath(archive.path)], into: copy).summary
        #expect(!summary.isIncomplete, "\(summary)")
        let expected = try #require(states[archive.fingerprint ?? ""])
        #expect(try held(copy) == expected, "\(archive.name) restores to something else")
      }
      // nothing of ours is left half done
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
      #expect(names.filter { $0.hasPrefix(".") } == [])
    }
    #expect(try library.faults() == [])
    #expect(
      try String(contentsOfFile: scratch.path.appending("family.prom").string, encoding: .utf8).contains(
        "smilepile_backup_last_exit_code{job_name=\"family\"} 0"))
  }
}
