import ArchiveCatalog
import Backup
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// Plans over exported archives in a folder: a plan depends on what the archives contain.
struct PrunePlanTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary

  init() throws {
    library = try SampleLibrary(
      [.init(id: 1, fileName: "a.jpg", bytes: Array("photo".utf8))], categories: [.sample(1, "family")])
  }

  @discardableResult
  private func export(
    day: Int, tags: [String] = ["job"], of library: SampleLibrary? = nil, isIncremental: Bool = false
  ) async throws -> FilePath {
    var options = ExportOptions()
    options.isIncremental = isIncremental
    options.date = Date(timeIntervalSince1970: Double(day) * 86400)
    options.tags = tags
    let summary = try await Work.export((library ?? self.library).path, to: scratch.path, options: options)
      .summary
    return try #require(summary.archive)
  }

  private func plan(
    _ policy: (inout RetentionPolicy) -> Void,
    reasonToKeepAll: ([ArchiveDescriptor]) -> String? = { _ in nil }
  ) throws -> PrunePlan {
    var wanted = RetentionPolicy()
    policy(&wanted)
    return PrunePlan(
      try ArchiveInventory(folder: scratch.path).graph, wanted, earlierIDs: { _ in nil },
      reasonToKeepAll: reasonToKeepAll)
  }

  @Test("Prune: archives that no keep rule matches are removed")
  func unmatchedArchives() async throws {
    let paths = try await [export(day: 1), export(day: 2), export(day: 3)]
    let plan = try plan { $0.last = 2 }
    #expect(plan.removals.map(\.path) == [paths[0].string])
    #expect(plan.decisions.map(\.reasons) == [["last"], ["last"], []])
  }

  @Test("Prune: if no keep rule matches any archive of a kind, all are kept")
  func noMatch() async throws {
    for day in 1...2 { try await export(day: day, tags: ["family"]) }
    let kept = try await export(day: 3, tags: ["keep"])
    let plan = try plan { $0.tags = ["kept"] }
    #expect(plan.removals.isEmpty)
    #expect(
      plan.decisions.allSatisfy {
        $0.reasons == ["no rule keeps an archive of this library, selection and tags"]
      })
    let matching = try self.plan { $0.tags = ["keep"] }
    #expect(matching.decisions.first { $0.archives[0].path == kept.string }?.reasons == ["tag keep"])
  }

  @Test("Prune: nothing is removed if the newest archive is corrupt")
  func corruptNewest() async throws {
    try await export(day: 1)
    try await export(day: 2)
    let plan = try plan({ $0.last = 1 }, reasonToKeepAll: { _ in "a photo has rotten" })
    #expect(plan.removals.isEmpty)
    try #require(plan.refusals.count == 1)
    #expect(plan.refusals[0].contains("a photo has rotten"))
  }

  @Test("Prune: archives of two libraries are separate groups")
  func twoLibraries() async throws {
    let other = try SampleLibrary(
      [.init(id: 1, fileName: "b.jpg", bytes: Array("other".utf8))], categories: [.sample(1, "family")])
    try await export(day: 1)
    try await export(day: 2, of: other)
    #expect(try plan { $0.last = 1 }.removals.isEmpty)
  }

  /// Exports a category or the whole library, split or not.
  @discardableResult
  private func export(
    day: Int, _ library: SampleLibrary, category: String? = nil, split: PhoneLimits? = nil,
    as format: ExportOptions.Format = .zip
  ) async throws -> [String] {
    var options = ExportOptions()
    options.date = Date(timeIntervalSince1970: Double(day) * 86400)
    options.categories = category.map { [$0] } ?? []
    options.phoneLimits = split
    options.format = format
    return try await Work.export(library.path, to: scratch.path, options: options).summary.archives.map(
      \.string)
  }

  private func libraryOfTwoCategories() throws -> SampleLibrary {
    try SampleLibrary(
      (1...6).map {
        .init(
          id: $0, category: $0 % 2 + 1, fileName: "\($0).jpg",
          bytes: [UInt8](repeating: UInt8($0), count: 9000))
      },
      categories: [.sample(1, "cars"), .sample(2, "family")])
  }

  @Test("Prune: archives of different selections and formats are separate groups")
  func selections() async throws {
    let library = try libraryOfTwoCategories()
    try await export(day: 1, library, category: "cars")
    try await export(day: 2, library, category: "family")
    #expect(try plan { $0.last = 1 }.removals.isEmpty)
    let whole = try await export(day: 3, library)
    try await export(day: 4, library, as: .json)
    #expect(try plan { $0.last = 1 }.removals.isEmpty)

    // a set of one category replaces an unsplit archive of the category, but no archive of the library
    var limits = PhoneLimits()
    limits.uncompressedBytes = 20_000
    let set = try await export(day: 5, library, category: "family", split: limits)
    #expect(set.count > 1)
    #expect(try plan { $0.last = 1 }.removals.map(\.date) == [172_800_000])
    let all = try await export(day: 6, library, split: limits)
    #expect(all.count > 1)
    #expect(try plan { $0.last = 1 }.removals.map(\.path).contains(whole[0]))
  }

  /// Each of the two archives lacks a photo that the other one has.
  @Test("Prune: the only archive with a photo is kept")
  func onlyArchiveOfPhoto() async throws {
    let library = try libraryOfTwoCategories()
    for (index, photo) in try library.contents.photos.prefix(2).enumerated() {
      let file = library.file(of: photo).string
      try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
      try await export(day: index + 2, library)
      try FileManager.default.moveItem(atPath: file + ".away", toPath: file)
    }
    #expect(try plan { $0.last = 1 }.removals.isEmpty)
    // an older archive that lacks the same photo is removed
    let file = library.file(of: try library.contents.photos[1]).string
    try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
    try await export(day: 4, library)
    #expect(try plan { $0.last = 1 }.removals.map(\.date) == [259_200_000])
  }

  /// Repaired backups of two phones have no library ID that would tell them apart.
  @Test("Prune: repaired backups of phones are separate groups")
  func repairedPhoneBackups() async throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: Fixture.androidV2.string))
    bytes[bytes.count / 2] ^= 0xFF
    for name in ["mum.zip", "dad.zip"] {
      let path = scratch.path.appending(name)
      try bytes.write(to: URL(fileURLWithPath: path.string))
      let repaired = try await Work.repair(path).summary
      #expect(repaired.archive != nil)
      #expect(!repaired.unrecoverable.isEmpty)
    }
    #expect(try ArchiveInventory(folder: scratch.path).archives.count { $0.isOurs } == 2)
    let plan = try plan { $0.last = 1 }
    #expect(plan.decisions.count == 2)
    #expect(plan.removals.isEmpty)
  }

  @Test("Prune: a phone's backup is not in the plan")
  func phoneBackup() async throws {
    try await export(day: 20_000)
    for fixture in ["android_v2_smilepile_backup_20251003_140000.zip"] {
      try FileManager.default.copyItem(
        atPath: Fixture.androidV2.string, toPath: scratch.path.appending(fixture).string)
    }
    let plan = try plan { $0.last = 1 }
    #expect(plan.decisions.count == 1)
    #expect(plan.removals.isEmpty)
  }

  /// Exports a library as a set of parts on each of two days.
  private func exportSets() async throws -> [[String]] {
    let large = try SampleLibrary(
      (1...6).map { .init(id: $0, fileName: "\($0).jpg", bytes: [UInt8](repeating: UInt8($0), count: 9000)) },
      categories: [.sample(1, "family")])
    var limits = PhoneLimits()
    limits.uncompressedBytes = 30_000
    var sets: [[String]] = []
    for day in 1...2 {
      var options = ExportOptions()
      options.date = Date(timeIntervalSince1970: Double(day) * 86400)
      options.phoneLimits = limits
      sets.append(
        try await Work.export(large.path, to: scratch.path, options: options).summary.archives.map(\.string))
    }
    return sets
  }

  /// The older set has the photo that the part lacks.
  @Test("Prune: a partially recovered part stays in its set, and the older set is kept")
  func partiallyRecoveredPart() async throws {
    let newest = try await exportSets()[1]
    let part = URL(fileURLWithPath: try #require(newest.last))
    var bytes = try Data(contentsOf: part)
    bytes[3000] ^= 0xFF
    try bytes.write(to: part)
    let repaired = try await Work.repair(FilePath(part.path)).summary
    try #require(repaired.archive != nil)
    try #require(repaired.unrecoverable.count == 1)
    try FileManager.default.removeItem(at: part)
    let plan = try plan { $0.last = 1 }
    #expect(plan.decisions.count == 2)
    #expect(plan.removals.isEmpty)
  }

  @Test("Prune: the parts of a set are kept or removed together")
  func partsOfSet() async throws {
    let sets = try await exportSets()
    #expect(sets[0].count > 1)
    #expect(sets[1].count > 1)
    let plan = try plan { $0.last = 1 }
    #expect(plan.decisions.count == 2)
    #expect(plan.removals.map(\.path).sorted() == sets[0].sorted())

    // a set with a missing part is no reason to remove older archives
    try FileManager.default.removeItem(atPath: sets[1][0])
    let broken = try self.plan { $0.last = 1 }
    #expect(broken.removals.isEmpty)
    #expect(broken.decisions.allSatisfy { $0.isKept })
  }

  @Test("Prune: the base of a kept incremental backup is kept")
  func requiredBase() async throws {
    var paths: [String] = []
    for day in 1...3 {
      var edit = LibraryEdit()
      var category = try library.contents.categories[0]
      category.displayName = "Day \(day)"
      edit.changedCategories = [category]
      try LibraryWriter(path: library.path).change(.add) { try $0.commit(edit, files: []) }
      var options = ExportOptions()
      options.date = Date(timeIntervalSince1970: Double(day) * 86400)
      options.isIncremental = true
      options.maximumChainDepth = 1
      let summary = try await Work.export(library.path, to: scratch.path, options: options).summary
      paths.append(try #require(summary.archive?.string))
    }
    // full, incremental, full: keeping the second archive keeps the first
    let plan = try plan { policy in
      policy.last = 2
    }
    #expect(plan.removals.isEmpty)
    #expect(
      plan.decisions.last?.reasons == ["\(FilePath(paths[1]).lastComponent?.string ?? "") depends on it"])
    let one = try self.plan { $0.last = 1 }
    // incremental archives are removed before their base
    #expect(one.removals.map(\.path) == [paths[1], paths[0]])
  }

  /// A manual export into the folder of a job has no tag or another tag. The plan puts it into another group or leaves
  /// it out.
  @Test("Prune: the base of an incremental backup with other tags is kept", arguments: [[], ["by hand"]])
  func otherTags(tags: [String]) async throws {
    let full = try await export(day: 1)
    let increment = try await export(day: 2, tags: tags, isIncremental: true)
    try await export(day: 3)
    try await export(day: 4)
    let inventory = try ArchiveInventory(folder: scratch.path)
    for isIncluded in [{ _ in true }, { $0.tags.contains("job") }] as [(ArchiveDescriptor) -> Bool] {
      let plan = PrunePlan(
        inventory.graph, RetentionPolicy(last: 1), isIncluded: isIncluded, earlierIDs: { _ in nil },
        reasonToKeepAll: { _ in nil })
      #expect(plan.removals.map(\.date) == [259_200_000])
      let decision = try #require(plan.decisions.first { $0.archives[0].path == full.string })
      #expect(decision.reasons == ["\(increment.lastComponent?.string ?? "") depends on it"])
    }
  }

  /// The archive of a run under a wrong clock must not cause the removal of the archives that follow.
  @Test("Prune: an archive dated in the future is as old as its place among the exports")
  func futureArchive() async throws {
    let future = try await export(day: 30_000)
    let paths = try await [export(day: 1), export(day: 2)]
    let plan = try plan { $0.last = 1 }
    #expect(Set(plan.removals.map(\.path)) == [future.string, paths[0].string])
    #expect(plan.decisions.map { $0.archives[0].path } == [paths[1], paths[0], future].map(\.string))
  }

  @Test("Prune: an archive of an older version dated in the future is kept, and keep rules do not count it")
  func futureArchiveOfOlderVersion() async throws {
    let future = try await export(day: 30_000)
    let paths = try await [export(day: 1), export(day: 2)]
    let archives = try ArchiveInventory(folder: scratch.path).archives.map { archive in
      var archive = archive
      archive.sequence = nil
      return archive
    }
    let policy = RetentionPolicy(last: 1)
    let plan = PrunePlan(
      ArchiveGraph(archives), policy, earlierIDs: { _ in nil }, reasonToKeepAll: { _ in nil })
    #expect(plan.removals.map(\.path) == [paths[0].string])
    #expect(plan.decisions.map(\.reasons) == [["dated in the future"], ["last"], []])
    #expect(plan.decisions[0].archives[0].path == future.string)
  }

  @Test("Prune: keep rules count an archive dated 30 seconds in the future")
  func clockDifference() async throws {
    try await export(day: 1)
    try await export(day: 2)
    let policy = RetentionPolicy(last: 1)
    let now = Date(timeIntervalSince1970: 2 * 86400 - 30)
    let plan = PrunePlan(
      try ArchiveInventory(folder: scratch.path).graph, policy, now: now, earlierIDs: { _ in nil },
      reasonToKeepAll: { _ in nil })
    #expect(plan.decisions.map(\.reasons) == [["last"], []])
  }
}
