import ArchiveCatalog
import Backup
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// Plans over real archives in a folder, since what is known of them is read from themselves.
struct PrunePlanTests {
  private let scratch: ScratchFolder
  private let library: SampleLibrary

  init() throws {
    scratch = try ScratchFolder()
    library = try SampleLibrary(
      [.init(id: 1, fileName: "a.jpg", bytes: Array("photo".utf8))], categories: [.sample(1, "family")])
  }

  @discardableResult
  private func export(
    day: Int, tags: [String] = ["job"], of library: SampleLibrary? = nil, restsOnLast: Bool = false
  ) async throws -> FilePath {
    var options = ExportOptions()
    options.isIncremental = restsOnLast
    options.date = Date(timeIntervalSince1970: Double(day) * 86400)
    options.tags = tags
    let summary = try await Work.export((library ?? self.library).path, to: scratch.path, options: options)
      .summary
    return try #require(summary.archive)
  }

  private func plan(
    _ policy: (inout RetentionPolicy) -> Void, obstacle: ([ArchiveDescriptor]) -> String? = { _ in nil }
  ) throws -> PrunePlan {
    var wanted = RetentionPolicy()
    policy(&wanted)
    return PrunePlan(try ArchiveInventory(folder: scratch.path).graph, wanted, obstacle: obstacle)
  }

  @Test func whatNoRuleKeepsGoes() async throws {
    let paths = try await [export(day: 1), export(day: 2), export(day: 3)]
    let plan = try plan { $0.last = 2 }
    #expect(plan.removals.map(\.path) == [paths[0].string])
    #expect(plan.decisions.map(\.reasons) == [["last"], ["last"], []])
  }

  @Test func whereNoRuleKeepsAnyAllStay() async throws {
    for day in 1...2 { try await export(day: day, tags: ["family"]) }
    let kept = try await export(day: 3, tags: ["keep"])
    let plan = try plan { $0.tags = ["kept"] }
    #expect(plan.removals.isEmpty)
    #expect(plan.decisions.allSatisfy { $0.reasons == ["no rule keeps any of its kind"] })
    let spelt = try self.plan { $0.tags = ["keep"] }
    #expect(spelt.decisions.first { $0.archives[0].path == kept.string }?.reasons == ["tag keep"])
  }

  @Test func nothingGoesWhereTheNewestIsDamaged() async throws {
    try await export(day: 1)
    try await export(day: 2)
    let plan = try plan({ $0.last = 1 }, obstacle: { _ in "a photo has rotten" })
    #expect(plan.removals.isEmpty)
    #expect(plan.refusals.count == 1 && plan.refusals[0].contains("a photo has rotten"))
  }

  @Test func archivesOfTwoLibrariesAreLookedAtApart() async throws {
    let other = try SampleLibrary(
      [.init(id: 1, fileName: "b.jpg", bytes: Array("other".utf8))], categories: [.sample(1, "family")])
    try await export(day: 1)
    try await export(day: 2, of: other)
    #expect(try plan { $0.last = 1 }.removals.isEmpty)
  }

  /// Exports a selection, or everything, split or not.
  @discardableResult
  private func export(
    day: Int, _ library: SampleLibrary, category: String? = nil, split: PhoneLimits? = nil,
    as format: ExportOptions.Format = .zip
  ) async throws -> [String] {
    var options = ExportOptions()
    options.date = Date(timeIntervalSince1970: Double(day) * 86400)
    options.categories = category.map { [$0] } ?? []
    options.split = split.map { .phone($0) }
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

  @Test func selectionsAreLookedAtApart() async throws {
    let library = try libraryOfTwoCategories()
    try await export(day: 1, library, category: "cars")
    try await export(day: 2, library, category: "family")
    #expect(try plan { $0.last = 1 }.removals.isEmpty)
    let whole = try await export(day: 3, library)
    try await export(day: 4, library, as: .json)
    #expect(try plan { $0.last = 1 }.removals.isEmpty)

    // a set of a selection does not stand for a whole archive; split or not, equal selections stand for one another
    var limits = PhoneLimits()
    limits.uncompressedBytes = 20_000
    let set = try await export(day: 5, library, category: "family", split: limits)
    #expect(set.count > 1)
    #expect(try plan { $0.last = 1 }.removals.map(\.date) == [2 * 86_400_000])
    let all = try await export(day: 6, library, split: limits)
    #expect(all.count > 1)
    #expect(try plan { $0.last = 1 }.removals.map(\.path).contains(whole[0]))
  }

  /// Each of two archives lacks a photo that the other one holds.
  @Test func theOnlyArchiveOfAPhotoStays() async throws {
    let library = try libraryOfTwoCategories()
    for (index, photo) in try library.contents.photos.prefix(2).enumerated() {
      let file = library.file(of: photo).string
      try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
      try await export(day: index + 2, library)
      try FileManager.default.moveItem(atPath: file + ".away", toPath: file)
    }
    #expect(try plan { $0.last = 1 }.removals.isEmpty)
    // one that lacks it too is of no use for that
    let file = library.file(of: try library.contents.photos[1]).string
    try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
    try await export(day: 1, library)
    #expect(try plan { $0.last = 1 }.removals.map(\.date) == [86_400_000])
  }

  /// What was rescued of two phones' backups has no library's number, and the one is not the other.
  @Test func repairedBackupsOfPhonesStandForThemselves() async throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: Fixture.androidV2.string))
    bytes[bytes.count / 2] ^= 0xFF
    for name in ["mum.zip", "dad.zip"] {
      let path = scratch.path.appending(name)
      try bytes.write(to: URL(fileURLWithPath: path.string))
      let repaired = try await Work.repair(path).summary
      #expect(repaired.archive != nil && !repaired.lost.isEmpty)
    }
    #expect(try ArchiveInventory(folder: scratch.path).archives.count { $0.isOurs } == 2)
    let plan = try plan { $0.last = 1 }
    #expect(plan.decisions.count == 2 && plan.removals.isEmpty)
  }

  @Test func whatIsNotOursIsNotInThePlan() async throws {
    try await export(day: 20_000)
    for fixture in ["android_v2_smilepile_backup_20251003_140000.zip"] {
      try FileManager.default.copyItem(
        atPath: Fixture.androidV2.string, toPath: scratch.path.appending(fixture).string)
    }
    let plan = try plan { $0.last = 1 }
    #expect(plan.decisions.count == 1 && plan.removals.isEmpty)
  }

  /// Exports a library in parts, on two days.
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
      options.split = .phone(limits)
      sets.append(
        try await Work.export(large.path, to: scratch.path, options: options).summary.archives.map(\.string))
    }
    return sets
  }

  /// A part that lost a photo in a repair stays with its set, so that an older set, which has it, is kept.
  @Test func aPartThatLacksAPhotoIsStillOfItsSet() async throws {
    let newest = try await exportSets()[1]
    let part = URL(fileURLWithPath: try #require(newest.last))
    var bytes = try Data(contentsOf: part)
    bytes[3000] ^= 0xFF
    try bytes.write(to: part)
    let repaired = try await Work.repair(FilePath(part.path)).summary
    try #require(repaired.archive != nil && repaired.lost.count == 1)
    try FileManager.default.removeItem(at: part)
    let plan = try plan { $0.last = 1 }
    #expect(plan.decisions.count == 2 && plan.removals.isEmpty)
  }

  @Test func partsOfOneExportStayAndGoTogether() async throws {
    let sets = try await exportSets()
    #expect(sets[0].count > 1 && sets[1].count > 1)
    let plan = try plan { $0.last = 1 }
    #expect(plan.decisions.count == 2)
    #expect(plan.removals.map(\.path).sorted() == sets[0].sorted())

    // a set of which a part is gone counts for nothing, and nothing goes for its sake
    try FileManager.default.removeItem(atPath: sets[1][0])
    let broken = try self.plan { $0.last = 1 }
    #expect(broken.removals.isEmpty && broken.decisions.allSatisfy(\.isKept))
  }

  @Test func whatAnIncrementRestsOnStays() async throws {
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
      options.maximumChain = 1
      let summary = try await Work.export(library.path, to: scratch.path, options: options).summary
      paths.append(try #require(summary.archive?.string))
    }
    // full, its increment, full again: keeping the second keeps the first
    let plan = try plan { policy in
      policy.last = 2
    }
    #expect(plan.removals.isEmpty)
    #expect(
      plan.decisions.last?.reasons == ["\(FilePath(paths[1]).lastComponent?.string ?? "") depends on it"])
    let one = try self.plan { $0.last = 1 }
    // increments go before what they rest on
    #expect(one.removals.map(\.path) == [paths[1], paths[0]])
  }

  /// Somebody exports by hand into a job's folder, under no tag or another: that is another group, or none that is meant.
  @Test(arguments: [[], ["by hand"]])
  func whatAnIncrementOfOtherTagsRestsOnStays(tags: [String]) async throws {
    let full = try await export(day: 1)
    let increment = try await export(day: 2, tags: tags, restsOnLast: true)
    try await export(day: 3)
    try await export(day: 4)
    var policy = RetentionPolicy()
    policy.last = 1
    let inventory = try ArchiveInventory(folder: scratch.path)
    for isMeant in [{ _ in true }, { $0.tags.contains("job") }] as [(ArchiveDescriptor) -> Bool] {
      let plan = PrunePlan(inventory.graph, policy, isMeant: isMeant, obstacle: { _ in nil })
      #expect(plan.removals.map(\.date) == [2 * 86_400_000 + 86_400_000])
      let decision = try #require(plan.decisions.first { $0.archives[0].path == full.string })
      #expect(decision.reasons == ["\(increment.lastComponent?.string ?? "") depends on it"])
    }
  }

  /// Under a clock that went ahead once, tonight's archive would go for the sake of one that claims to be newer.
  @Test func whatIsDatedInTheFutureCountsForNothing() async throws {
    let future = try await export(day: 30_000)
    let paths = try await [export(day: 1), export(day: 2)]
    let plan = try plan { $0.last = 1 }
    #expect(plan.removals.map(\.path) == [paths[0].string])
    #expect(plan.decisions.map(\.reasons) == [["dated in the future"], ["last"], []])
    #expect(plan.decisions[0].archives[0].path == future.string)
  }

  @Test func clocksMayDifferALittle() async throws {
    try await export(day: 1)
    try await export(day: 2)
    var policy = RetentionPolicy()
    policy.last = 1
    let now = Date(timeIntervalSince1970: 2 * 86400 - 30)
    let plan = PrunePlan(
      try ArchiveInventory(folder: scratch.path).graph, policy, now: now, obstacle: { _ in nil })
    #expect(plan.decisions.map(\.reasons) == [["last"], []])
  }
}
