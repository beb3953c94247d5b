import ArchiveCatalog
import Checksums
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup
@testable import Jobs

/// Random sequences of changes, exports, flattening and pruning, with clocks that jump, libraries that are copied, and
/// databases that are restored from older copies. The newest state of each library always restores.
/// `SMILEPILE_HISTORIES` is the number of sequences.
@Suite struct ArchiveHistoryTests {
  private static let count =
    ProcessInfo.processInfo.environment["SMILEPILE_HISTORIES"].flatMap(UInt64.init) ?? 25

  @Test("Archive history: the newest state restores, whatever the clock did", arguments: 0..<count)
  func clockSteps(seed: UInt64) async throws {
    try await Self.limit.run {
      var history = try History(seed: seed, copies: false)
      try await history.checkSteps()
      try await history.checkNewest()
    }
  }

  @Test(
    "Archive history: every copy of a library keeps its newest state, also after an older database was restored",
    arguments: 0..<count)
  func branches(seed: UInt64) async throws {
    try await Self.limit.run {
      var history = try History(seed: seed, copies: true)
      try await history.checkSteps()
    }
  }

  private static let limit = ConcurrencyLimit(16)

  /// The photos of a library, by the MD5 of each.
  private typealias State = Set<MD5Digest>

  /// A library that exports to the folder.
  private struct Source {
    let library: SampleLibrary
    var photos: [Int64: MD5Digest] = [:]
    /// The last export that no later export of a copy of the library continues; nil if there is none.
    var exported: (number: Int, state: State)?
    /// The numbers of all exports that the library knows.
    var known: Set<Int> = []
    /// An older copy of the database, with the photos and the known exports at that time.
    var older: (database: Data, photos: [Int64: MD5Digest], known: Set<Int>)?

    var state: State { Set(photos.values) }
    var database: URL { URL(fileURLWithPath: library.path.appending("library.sqlite").string) }
  }

  /// A folder of archives, and what must restore from it.
  private struct History {
    private var random: SeededNumbers
    private let copies: Bool
    private let folder = ScratchFolder()
    private var sources: [Source]
    /// Exports that the restored database of a library does not know, and that no export of a copy continues.
    private var abandoned: [(number: Int, state: State)] = []
    private var exports = 0
    private var clock: Int64 = 1_700_000_000_000
    private var nextID: Int64 = 1
    /// The state of the last export.
    private var last: State?

    init(seed: UInt64, copies: Bool) throws {
      (random, self.copies) = (SeededNumbers(seed: seed), copies)
      sources = [Source(library: try SampleLibrary(categories: [.sample(1, "family")]))]
      try add(0)
    }

    /// Does fourteen things, and checks the states after each.
    mutating func checkSteps() async throws {
      for _ in 0..<14 {
        let step = try await step()
        try checkStates(after: step)
      }
    }

    /// Does something, and returns its name.
    private mutating func step() async throws -> String {
      clock += Int64.random(in: 1...3_600_000, using: &random)
      if Int.random(in: 0..<3, using: &random) == 0 {
        clock += Int64.random(in: 1000...86_400_000, using: &random) * (Bool.random(using: &random) ? 1 : -1)
      }
      let index = Int.random(in: sources.indices, using: &random)
      switch Int.random(in: 0..<(copies ? 13 : 11), using: &random) {
      case 0, 1, 2:
        try add(index)
        return "add"
      case 3:
        try remove(index)
        return "remove"
      case 4, 5, 6, 7:
        try add(index)
        try await export(index)
        return "export"
      case 8:
        try await flatten()
        return "flatten"
      case 9, 10:
        try prune()
        return "prune"
      case 11:
        return try copy(index)
      default:
        return try restoreOlderDatabase(index)
      }
    }

    private mutating func add(_ index: Int) throws {
      let bytes = Array("photo \(nextID)".utf8)
      try sources[index].library.change(adding: [.init(id: nextID, fileName: "\(nextID).jpg", bytes: bytes)])
      sources[index].photos[nextID] = MD5Digest(of: bytes)
      nextID += 1
    }

    private mutating func remove(_ index: Int) throws {
      guard let id = sources[index].photos.keys.min() else { return }
      var edit = LibraryEdit()
      edit.removedPhotos = [id]
      try sources[index].library.change(edit)
      sources[index].photos[id] = nil
      // the older database lists a photo whose file is gone
      sources[index].older = nil
    }

    private mutating func export(_ index: Int) async throws {
      var options = ExportOptions()
      options.isIncremental = Bool.random(using: &random)
      options.maximumChainDepth = 3
      options.date = Date(timeIntervalSince1970: Double(clock) / 1000)
      _ = try await Work.export(sources[index].library.path, to: folder.path, options: options).summary
      for other in sources.indices {
        guard let number = sources[other].exported?.number, sources[index].known.contains(number) else {
          continue
        }
        sources[other].exported = nil
      }
      abandoned.removeAll { sources[index].known.contains($0.number) }
      exports += 1
      sources[index].known.insert(exports)
      sources[index].exported = (exports, sources[index].state)
      last = sources[index].state
    }

    private func flatten() async throws {
      let archives = try ArchiveInventory(folder: folder.path).archives
      guard let increment = archives.last(where: { $0.base != nil }) else { return }
      _ = try await Work.flatten(FilePath(increment.path)).summary
    }

    private mutating func prune() throws {
      var policy = RetentionPolicy()
      if Bool.random(using: &random) {
        policy.last = Int.random(in: 1...2, using: &random)
      } else {
        policy.daily = 1
      }
      var run = PruneRun(folder: folder.path, policy: policy, counter: ProgressCounter())
      run.now = Date(timeIntervalSince1970: Double(clock) / 1000)
      let summary = try run.run()
      #expect(summary.plan.refusals == [])
      #expect(summary.failures.map(\.message) == [])
    }

    private mutating func copy(_ index: Int) throws -> String {
      guard sources.count < 3 else { return "nothing" }
      var copy = Source(library: try SampleLibrary(copyOf: sources[index].library))
      (copy.photos, copy.known) = (sources[index].photos, sources[index].known)
      sources.append(copy)
      return "copy"
    }

    /// Saves the database, or restores the saved one.
    private mutating func restoreOlderDatabase(_ index: Int) throws -> String {
      let database = sources[index].database
      guard let older = sources[index].older else {
        let now = try Data(contentsOf: database)
        sources[index].older = (now, sources[index].photos, sources[index].known)
        return "save database"
      }
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database.path + suffix) }
      try older.database.write(to: database)
      if let exported = sources[index].exported, !older.known.contains(exported.number) {
        abandoned.append(exported)
      }
      (sources[index].photos, sources[index].known) = (older.photos, older.known)
      sources[index].exported = nil
      sources[index].older = nil
      return "restore database"
    }

    // MARK: Invariants

    /// Expects that the archives can restore the last state that each library exported.
    func checkStates(after step: String) throws {
      var found: [State] = []
      let inventory = try ArchiveInventory(folder: folder.path)
      for archive in inventory.archives {
        guard (try? inventory.members(of: archive)) != nil else { continue }
        let source = try BackupOpener(counter: ProgressCounter(), followsChains: true).open(
          FilePath(archive.path))
        guard source.photos.allSatisfy({ $0.location.unavailable == nil }) else { continue }
        found.append(Set(source.photos.compactMap(\.location.md5)))
      }
      for state in sources.compactMap(\.exported?.state) + abandoned.map(\.state) {
        #expect(found.contains(state), "after \(step): a state of \(state.count) photos is lost")
      }
    }

    /// Expects that the newest archive restores the state of the last export.
    func checkNewest() async throws {
      guard let last else { return }
      let inventory = try ArchiveInventory(folder: folder.path)
      let newest = try #require(inventory.archives.last)
      let restored = try SampleLibrary()
      _ = try await Work.import([FilePath(newest.path)], into: restored.path).summary
      #expect(try Set(restored.contents.photos.compactMap(\.md5)) == last)
    }
  }
}
