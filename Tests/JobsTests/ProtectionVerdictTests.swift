import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// The sentence that tells whether the photos of a library are safe.
struct ProtectionVerdictTests {
  private static let now = Date(timeIntervalSince1970: 1_780_000_000)

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  private static func time(daysAgo days: Int) -> Timestamp { Timestamp(now) - Int64(days) * 86_400_000 }

  /// A copy that is complete, verified, tested and on another device.
  private func copy(
    at path: String = "/disk", daysAgo: Int = 0, isOnSameDevice: Bool = false, isInMemory: Bool = false,
    isVerified: Bool = true, problem: LibraryCopy.Problem? = nil, added: Int? = 0,
    test: JobStatus.DestinationTestRecord.Outcome? = .passed, hasPassedBefore: Bool = false,
    isSelection: Bool = false, missing: Int = 0, testedDaysAgo: Int = 2
  ) -> LibraryCopy {
    var record = JobStatus.DestinationTestRecord(passed: path, at: Self.time(daysAgo: testedDaysAgo))
    if let test, test != .passed {
      (record.outcome, record.archive) = (test, "\(path)/a.zip")
      if !hasPassedBefore { record.lastPassedAt = nil }
    }
    return LibraryCopy(
      job: "family",
      copy: JobStatus.Copy(
        found: CopyRecord(
          path: path, archive: "\(path)/a.zip", madeAt: Self.time(daysAgo: daysAgo),
          isOnSameDevice: isOnSameDevice, isInMemory: isInMemory, isSelection: isSelection,
          missingPhotos: missing, files: []),
        health: isVerified ? .verified(at: Self.time(daysAgo: daysAgo)) : .unverified),
      problem: problem, isShared: false, photosAdded: added, test: test == nil ? nil : record)
  }

  private func verdict(
    photos: Int = 12_345, _ copies: [LibraryCopy], testedDaysAgo: Int? = 2, ledgerProblem: String? = nil,
    run: JobStatus.RunRecord? = nil, success: JobStatus.RunRecord? = nil, testFailure: String? = nil,
    damage: [Observed] = [], now: Date = now
  ) -> ProtectionVerdict {
    var job = JobStatus(job: "family")
    job.copies = copies.map(\.copy)
    job.restoreTests = copies.compactMap(\.test)
    var record = JobStatus.RunRecord(startedAt: Self.time(daysAgo: 0))
    record.outcome = .done
    (job.run, job.lastSuccess) = (run ?? record, success ?? record)
    job.restoreTestFailure = testFailure
    return ProtectionVerdict(
      of: LibraryProtection(
        path: "/Family", totals: (photos, 3, photos * 1000), lastExport: nil, photosAdded: nil,
        jobs: copies.isEmpty ? [] : [job], formerJobs: [], copies: copies,
        testedAt: testedDaysAgo.map(Self.time), damage: Self.damage(damage), ledgerProblem: ledgerProblem),
      now: now, calendar: Self.calendar)
  }

  @Test("Verdict: verified copies on another device and a restore test make the photos safe")
  func safe() {
    let verdict = verdict([copy(), copy(daysAgo: 1), copy(isOnSameDevice: true)])
    #expect(
      verdict.sentence
        == "All 12,345 photos are safe: 3 copies, the newest from today, restore tested 2 days ago.")
    #expect(verdict.level == .safe)
    #expect(verdict.actions.isEmpty)
  }

  @Test(
    "Verdict: commas separate groups of three digits",
    arguments: [
      (0, "0 photos"), (1, "1 photo"), (999, "999 photos"), (1000, "1,000 photos"), (12_345, "12,345 photos"),
      (1_234_567, "1,234,567 photos"), (-1000, "-1,000 photos"),
    ])
  func grouped(number: Int, text: String) { #expect(Count(number, "photo").grouped == text) }

  @Test("Verdict: photos that were added since the newest copy are not called safe")
  func added() {
    let verdict = verdict([copy(daysAgo: 1, added: 5), copy(daysAgo: 9, added: 70)])
    #expect(
      verdict.sentence
        == "12,340 of 12,345 photos are safe in the newest complete copy, from yesterday; 5 were added since."
    )
    #expect(verdict.level == .attention)
  }

  @Test("Verdict: copies on the device of the library are lost with it")
  func sameDevice() {
    let verdict = verdict([copy(isOnSameDevice: true)])
    #expect(verdict.level == .danger)
    #expect(verdict.sentence.hasSuffix("but it is on the device of the library."))
    #expect(verdict.actions.first?.message.contains("add a destination") == true)
  }

  @Test(
    "Verdict: a copy with a problem does not count, and is an action",
    arguments: [LibraryCopy.Problem.suspect, .unreachable, .missing, .changed])
  func problem(problem: LibraryCopy.Problem) {
    let verdict = verdict([copy(problem: problem)])
    #expect(verdict.level == .danger)
    #expect(
      verdict.sentence
        == (problem == .missing
          ? "No job has a complete copy of the 12,345 photos."
          : "No complete copy of the 12,345 photos is known to be intact and reachable."))
    #expect(verdict.actions.first?.message.contains("/disk") == true)
    // a suspect copy stays so until another backup is made
    #expect(problem != .suspect || verdict.actions.first?.remedy == .runBackup(job: "family"))
  }

  @Test("Verdict: an unreachable disk needs attention although other copies are complete")
  func unreachable() {
    let verdict = verdict([copy(), copy(daysAgo: 12, problem: .unreachable)])
    #expect(verdict.level == .attention)
    #expect(
      verdict.actions.map(\.message) == [
        "/disk is unreachable, and its newest copy is from 12 days ago; connect the disk"
      ])
  }

  @Test("Verdict: an unverified copy is not called safe")
  func unverified() {
    #expect(verdict([copy(isVerified: false)]).level == .attention)
    #expect(verdict([copy(isVerified: false)]).sentence.hasSuffix("but it is not verified."))
    #expect(
      verdict([copy(isVerified: false)]).actions.map(\.remedy) == [.verifyArchive("/disk/a.zip")])
  }

  @Test("Verdict: without a restore test, or with an old one, the next one is due", arguments: [nil, 93])
  func untested(days: Int?) {
    let verdict = verdict(
      [copy(test: days == nil ? nil : .passed, testedDaysAgo: days ?? 0)], testedDaysAgo: days)
    #expect(verdict.level == .attention)
    #expect(verdict.actions.map(\.remedy) == [.testRestore(job: "family")])
  }

  @Test("Verdict: a failed run needs attention, with its reason")
  func failedRun() {
    var run = JobStatus.RunRecord(startedAt: Self.time(daysAgo: 0))
    (run.outcome, run.message) = (.failed, "the disk is full")
    let verdict = verdict([copy()], run: run)
    #expect(verdict.level == .attention)
    #expect(verdict.actions.map(\.message) == ["the last run of job “family” failed: the disk is full"])
  }

  @Test("Verdict: without a job, a schedule is the remedy")
  func noJob() {
    let verdict = verdict([], testedDaysAgo: nil)
    #expect(verdict.level == .danger)
    #expect(verdict.actions.map(\.remedy) == [.installSchedule])
  }

  @Test("Verdict: nothing is claimed without a ledger, or of an empty library")
  func unknown() {
    #expect(verdict([], ledgerProblem: "it is corrupt").sentence.contains("unknown: it is corrupt"))
    #expect(verdict(photos: 0, [copy()]).sentence == "The library has no photos yet.")
    #expect(verdict(photos: 1, [copy()]).sentence.hasPrefix("The one photo is safe: 1 copy,"))
  }

  // MARK: Each fact is judged by itself

  @Test(
    "Verdict: photos that are added without a backup do not improve the level of copies on the same device")
  func addedOnSameDevice() {
    let verdict = verdict(photos: 26, [copy(isOnSameDevice: true, added: 2)])
    #expect(verdict.level == .danger)
    #expect(
      verdict.sentence
        == "24 of 26 photos are in 1 copy, from today, but it is on the device of the library."
    )
  }

  @Test("Verdict: a copy in memory does not count as safe, and is not called on the device of the library")
  func inMemory() {
    let verdict = verdict([copy(isInMemory: true)])
    #expect(verdict.level == .danger)
    #expect(verdict.sentence.hasSuffix("but it is in memory."))
    #expect(
      self.verdict([copy(isInMemory: true), copy(isOnSameDevice: true)]).sentence
        .hasSuffix("but they are on the device of the library or in memory."))
  }

  @Test("Verdict: an older copy on another device counts beside a newer one on the device of the library")
  func olderElsewhere() {
    let verdict = verdict([copy(isOnSameDevice: true), copy(daysAgo: 9, added: 5)])
    #expect(verdict.level == .attention)
    #expect(
      verdict.sentence
        == "12,340 of 12,345 photos are safe in a verified copy on another device, from 9 days ago; "
        + "5 were added since.")
  }

  @Test("Verdict: copies that have no photo of the library do not protect it")
  func outdated() {
    let verdict = verdict(photos: 12, [copy(added: 12)])
    #expect(verdict.level == .danger)
    #expect(verdict.sentence == "All 12 photos were added since the newest complete copy, from today.")
  }

  @Test("Verdict: restore tests count for each destination")
  func testOfOneDestination() {
    let verdict = verdict([copy(at: "/n1", test: .failed), copy(at: "/n2")])
    #expect(verdict.sentence.hasSuffix("restore tested 2 days ago."))
    #expect(verdict.level == .attention)
    #expect(verdict.actions.map(\.message) == ["the restore test of /n1/a.zip failed"])
    #expect(verdict.actions.map(\.remedy) == [.testRestore(job: "family")])
    #expect(
      self.verdict([copy(at: "/n1", test: .failed), copy(at: "/n2", isOnSameDevice: true)]).sentence
        .hasSuffix("but no restore test has passed at its destination."))
  }

  @Test("Verdict: a destination that a restore test could not read is tested again, not verified")
  func unreachableAtTest() {
    let verdict = verdict([copy(at: "/n1", test: .unreachable), copy(at: "/n2")])
    #expect(verdict.actions.map(\.message) == ["the last restore test could not read /n1"])
    #expect(verdict.actions.map(\.remedy) == [.testRestore(job: "family")])
    // the action of the copy says it
    #expect(
      self.verdict([copy(at: "/n1", problem: .unreachable, test: .unreachable), copy(at: "/n2")]).actions
        .map(\.message) == ["/n1 is unreachable, and its newest copy is from today; connect the disk"])
  }

  @Test("Verdict: a missing archive is backed up again")
  func missingArchive() {
    let verdict = verdict([copy(), copy(at: "/n1", problem: .missing, test: .missing)])
    #expect(verdict.actions.map(\.message) == ["the archive /n1/a.zip is missing"])
    #expect(verdict.actions.map(\.remedy) == [.runBackup(job: "family")])
  }

  // MARK: What a sentence and an action say is true

  @Test("Verdict: a destination whose last restore test failed is not called untested")
  func failedAfterPass() {
    let verdict = verdict([copy(test: .failed, hasPassedBefore: true)])
    #expect(
      verdict.sentence
        == "All 12,345 photos are in 1 copy, from today, but no restore test has passed at its destination "
        + "since \(DayCount(now: Self.now, Self.calendar).day(Self.time(daysAgo: 2))).")
    #expect(verdict.actions.first?.message == "the restore test of /disk/a.zip failed")
  }

  @Test("Verdict: a job that backs up a selection is not run again for a complete copy")
  func selection() {
    let verdict = verdict([copy(isSelection: true)])
    #expect(verdict.sentence == "No job has a complete copy of the 12,345 photos.")
    #expect(verdict.actions.map(\.remedy) == [nil])
    #expect(verdict.actions.first?.message.contains("backs up a selection of the library; remove") == true)
  }

  @Test("Verdict: a copy that lacks corrupt photos is completed by a repair of the library")
  func incomplete() {
    let verdict = verdict([copy(missing: 2)])
    #expect(verdict.sentence == "No job has a complete copy of the 12,345 photos.")
    #expect(verdict.actions.first?.remedy == .repairLibrary)
  }

  @Test("Verdict: photos that were added are backed up")
  func addedAction() {
    for added in [5, nil] {
      #expect(verdict([copy(added: added)]).actions.map(\.remedy) == [.runBackup(job: "family")])
    }
  }

  @Test("Verdict: a run that made no complete copy is not repeated before its reason is gone")
  func incompleteRun() {
    var run = JobStatus.RunRecord(startedAt: Self.time(daysAgo: 0))
    (run.outcome, run.message) = (.incomplete, "photo 4 is missing in the library")
    run.missing = ["photo 4 is missing in the library"]
    let verdict = verdict([copy(daysAgo: 1, added: 1)], run: run, damage: found(4, daysAgo: 0))
    #expect(verdict.actions.map(\.remedy) == [.repairLibrary])
    #expect(verdict.sentence.contains("safe in the newest complete copy, from yesterday; 1 was"))
  }

  @Test("Verdict: after a repair of the library, a backup follows, and a former repair counts for nothing")
  func repaired() {
    var run = JobStatus.RunRecord(startedAt: Self.time(daysAgo: 1))
    (run.outcome, run.missing) = (.incomplete, ["photo 4 is missing in the library"])
    for (daysAgo, remedy) in [(2, Remedy.repairLibrary), (0, .runBackup(job: "family"))] {
      let damage = found(4, daysAgo: 1) + repair(daysAgo: daysAgo)
      #expect(
        verdict([copy(daysAgo: 1, missing: 1)], run: run, damage: damage).actions.first?.remedy == remedy)
      let verdict = verdict([copy(daysAgo: 2, added: 1)], run: run, damage: damage)
      #expect(verdict.actions.map(\.remedy) == [remedy])
      #expect(verdict.actions.allSatisfy { $0.message.contains("photo 4") == (daysAgo == 2) })
    }
    #expect(
      verdict([copy()], damage: found(3, daysAgo: 1) + repair(daysAgo: 2)).actions.map(\.remedy)
        == [.repairLibrary])
    #expect(verdict([copy()], damage: found(3, daysAgo: 1) + repair(daysAgo: 0)).level == .safe)
  }

  @Test("Verdict: what a repair left is not repaired again, and what is found after it is")
  func leftByRepair() {
    var run = JobStatus.RunRecord(startedAt: Self.time(daysAgo: 1))
    (run.outcome, run.missing) = (.incomplete, ["photo 4 “a” in “b”: it is corrupt"])
    run.message = run.missing[0]
    let other = Remedy.replaceOrRemovePhotos
    for (photo, daysAgo, remedy) in [
      (4, 0, other), (4, 2, other), (5, 0, other), (5, 2, .repairLibrary),
    ] as [(Int64, Int, Remedy)] {
      let damage = found(4, daysAgo: 1) + repair(daysAgo: daysAgo, left: photo)
      let verdict = verdict([copy(daysAgo: 1, missing: 1)], run: run, damage: damage)
      #expect(verdict.actions.map(\.remedy) == [remedy, remedy])
      let named = remedy == other ? photo : 4
      #expect(verdict.actions.last?.message.contains("photo \(named) ") == true)
    }
    // what no archive has hides no other damage
    let both = verdict(
      [copy(daysAgo: 1, missing: 1)], run: run,
      damage: repair(daysAgo: 2, left: 4) + found(4, daysAgo: 1) + found(5, daysAgo: 1))
    #expect(both.actions.last?.remedy == .repairLibrary)
    #expect(both.actions.last?.message.contains("photo 5") == true)
    // what a later operation has read is no longer left
    run.outcome = .done
    run.missing = []
    let read = [Observed(photo: 4, event: .intact, daysAgo: 1)]
    #expect(verdict([copy()], run: run, damage: repair(daysAgo: 2, left: 4) + read).level == .safe)
    #expect(verdict([copy()], run: run, damage: repair(daysAgo: 0, left: 4) + read).level == .attention)
    for (photo, remedy) in [(4, other), (5, .repairLibrary)] as [(Int64, Remedy)] {
      let damage = repair(daysAgo: 2, left: 4) + found(photo, daysAgo: 1)
      #expect(verdict([copy()], damage: damage).actions.map(\.remedy) == [remedy])
    }
  }

  @Test("Verdict: each fault of a run has its own remedy")
  func severalFaults() {
    var run = JobStatus.RunRecord(startedAt: Self.time(daysAgo: 1))
    (run.outcome, run.missing) = (.failed, ["photo 4: it is corrupt"])
    run.message = "the destination /a is not a folder; choose a folder"
    for daysAgo in [2, 0] {
      let verdict = verdict(
        [copy(daysAgo: 2, added: 1)], run: run, damage: found(4, daysAgo: 1) + repair(daysAgo: daysAgo))
      #expect(
        verdict.actions.map(\.remedy) == [nil, daysAgo == 2 ? .repairLibrary : .runBackup(job: "family")])
      #expect(
        verdict.actions.first?.message
          == "the last run of job “family” failed: the destination /a is not a folder; choose a folder")
      #expect(verdict.actions.last?.message.contains("photo 4") == (daysAgo == 2))
    }
  }

  /// An observation of a photo.
  private struct Observed {
    var photo: Int64
    var event: PhotoObservation.Event
    var daysAgo: Int
  }

  /// What an operation found.
  private func found(_ photo: Int64, daysAgo: Int) -> [Observed] {
    [Observed(photo: photo, event: .damaged, daysAgo: daysAgo)]
  }

  /// What a repair that searched every archive found.
  private func repair(daysAgo: Int, left: Int64? = nil) -> [Observed] {
    (3...5).map { Observed(photo: $0, event: $0 == left ? .inNoArchive : .intact, daysAgo: daysAgo) }
  }

  private static func damage(_ observed: [Observed]) -> PhotoDamage {
    PhotoDamage(
      observed.sorted { $0.daysAgo > $1.daysAgo }.enumerated().map { number, observation in
        let position = LedgerPosition(Int64(number))
        return PhotoObservation(
          observation.photo, observation.event, "photo \(observation.photo) “a” in “b”: it is corrupt",
          begun: position, recorded: position, at: time(daysAgo: observation.daysAgo))
      })
  }

  @Test(
    "Verdict: a backup is late three days after its schedule, or after a day",
    arguments: [(nil, 5), (31, 35)])
  func late(interval: Int?, due: Int) {
    var run = JobStatus.RunRecord(startedAt: Self.time(daysAgo: 0))
    run.outcome = .done
    run.nextRunAt = interval.map { Self.time(daysAgo: -$0) }
    for (days, isLate) in [(due - 2, false), (due, true)] {
      let now = Self.now.addingTimeInterval(Double(days) * 86_400)
      let verdict = verdict([copy()], run: run, success: run, now: now)
      #expect(verdict.actions.contains { $0.remedy == .runBackup(job: "family") } == isLate, "\(days) days")
    }
  }

  @Test("Verdict: a restore test that ended without a result needs attention")
  func failedTest() {
    let verdict = verdict([copy()], testFailure: "wrong password")
    #expect(verdict.level == .attention)
    #expect(
      verdict.actions.map(\.message) == ["the last restore test of job “family” failed: wrong password"])
  }

  @Test("Verdict: a library in the place of another one is backed up by the same job")
  func formerJob() {
    let verdict = ProtectionVerdict(
      of: LibraryProtection(
        path: "/Family", totals: (5, 1, 5), lastExport: nil, photosAdded: nil, jobs: [],
        formerJobs: [JobStatus(job: "family")], copies: [], testedAt: nil, ledgerProblem: nil),
      now: Self.now, calendar: Self.calendar)
    #expect(verdict.actions.map(\.remedy) == [.runBackup(job: "family")])
  }

  @Test("Verdict: an unknown ledger and an empty library need an action")
  func actionsOfUnknown() {
    #expect(verdict([], ledgerProblem: "it is corrupt").actions.count == 1)
    #expect(verdict(photos: 0, [copy()]).actions.count == 1)
  }

  /// Returns what makes the first complete copy, if none is reachable: another backup in place of a missing one, or a
  /// repair of the library. Another run of a job with a selection makes no complete copy.
  private func expectedRemedy(_ copies: [LibraryCopy], _ whole: [LibraryCopy]) -> Remedy? {
    if !whole.isEmpty { return .runBackup(job: "family") }
    return copies.contains { !$0.copy.isSelection } ? .repairLibrary : nil
  }

  /// Returns what is untrue in a verdict, judged by the facts alone.
  private func untruth(_ verdict: ProtectionVerdict, _ facts: Facts) -> String? {
    let days = DayCount(now: facts.now, Self.calendar)
    let whole = facts.copies.filter { !$0.copy.isSelection }.filter { $0.copy.missingPhotos == 0 }
    let good = whole.filter { $0.problem == nil }
    let elsewhere = good.filter { !$0.copy.isOnSameDevice }.filter { $0.copy.isInMemory != true }
    let remedy = verdict.actions.first?.remedy
    let sentence = verdict.sentence
    if sentence.hasPrefix("No job has") {
      if remedy != expectedRemedy(facts.copies, whole) { return "remedy" }
      return whole.allSatisfy { $0.problem == .missing } ? nil : "whole"
    }
    if sentence.hasPrefix("No complete copy") {
      let isAboutCopy = whole.contains { verdict.actions.first?.message.contains($0.copy.path) == true }
      return !isAboutCopy ? "action" : good.isEmpty ? nil : "good"
    }
    if let match = sentence.firstMatch(of: #/added since the newest (.*)copy(.*), from (.*)\.$/#) {
      let isOther = match.2.hasPrefix(" on another device")
      let copies = isOther ? elsewhere : good
      let isQualified = match.2.hasSuffix("that has no known problem")
      let all = isOther ? facts.copies.filter { $0.device == .anotherDevice } : facts.copies
      let newest = (isQualified ? copies : all).map(\.copy.madeAt).max() ?? 0
      if days.ago(newest) != match.3 { return "newest" }
      if remedy != .runBackup(job: "family") { return "remedy" }
      return copies.contains { $0.photosAdded.map { $0 < facts.photos } ?? true } ? "added" : nil
    }
    let covered =
      #/^(.*?) (?:are|is) in (\d+) (verified )?cop(?:y|ies)( on another device)?, (.*), but (.*)\.$/#
    if let match = sentence.firstMatch(of: covered) {
      let (claim, reason) = (match.6, verdict.actions.first)
      let made = match.5.replacing("the newest ", with: "").dropFirst("from ".count)
      let isElsewhere = match.4 != nil || claim.hasSuffix("verified") || claim.contains("restore test")
      let place = isElsewhere ? elsewhere : good
      let isTested = claim.contains("restore test")
      let verified = place.filter { !isTested || $0.verifiedAt != nil }
      let count =
        match.1.hasPrefix("All") || match.1.hasPrefix("The one") ? facts.photos : Int(match.1.prefix(1))
      let named = verified.filter { $0.photosAdded.map { facts.photos - $0 } == count }
      let candidates =
        claim.contains("device") || claim.contains("memory")
        ? named.filter { !elsewhere.map(\.copy.path).contains($0.copy.path) } : named
      if Int(match.2) != candidates.count { return "count" }
      if !candidates.contains(where: { days.ago($0.copy.madeAt) == made }) { return "made" }
      if claim.hasSuffix("not verified") {
        if reason?.remedy.map({ "\($0)".hasPrefix("verifyArchive") }) != true { return "remedy" }
        let useful = elsewhere.filter { $0.photosAdded != facts.photos }
        return useful.contains { $0.verifiedAt != nil } ? "verified" : nil
      }
      guard isTested else {
        let isAboutCopy = facts.copies.contains {
          $0.device == .anotherDevice && reason?.message.contains($0.copy.path) == true
        }
        if !isAboutCopy, reason?.message.contains("add a destination") != true, remedy != .repairLibrary {
          return "action"
        }
        return elsewhere.isEmpty ? nil : "elsewhere"
      }
      if remedy != .testRestore(job: "family"), reason?.message.contains("test") != true { return "remedy" }
      let passed = candidates.compactMap { $0.test?.lastPassedAt }.max()
      if candidates.contains(where: { $0.test?.outcome == .passed }) { return "passed" }
      return passed.map { claim.hasSuffix("since \(days.day($0))") } ?? !claim.contains("since")
        ? nil : "since"
    }
    let isSafe = elsewhere.filter { $0.verifiedAt != nil }.filter { $0.test?.lastPassedAt != nil }
    if let match = sentence.firstMatch(
      of: #/^(\d+) of \d+ photos (?:is|are) safe in (the newest|a verified) .*; (\d+) w/#)
    {
      if remedy != .runBackup(job: "family") { return "remedy" }
      let newest = facts.copies.map(\.copy.madeAt).max()
      let named = isSafe.filter { $0.photosAdded == Int(match.3) }
        .filter { match.2 == "a verified" || $0.copy.madeAt == newest }
      return named.isEmpty || Int(match.1) != facts.photos - (Int(match.3) ?? 0) ? "safe in" : nil
    }
    if sentence.hasPrefix("It is unknown whether") {
      if remedy != .runBackup(job: "family") { return "remedy" }
      return good.contains { $0.photosAdded == nil } ? nil : "unknown"
    }
    guard let match = sentence.firstMatch(of: #/ safe: (\d+) cop/#) else { return "another sentence" }
    if !isSafe.contains(where: { $0.photosAdded == 0 }) { return "all safe" }
    return Int(match.1) == good.count { $0.photosAdded == 0 } ? nil : "number of copies"
  }

  @Test("Verdict: each sentence is true, and the first action is about it")
  func truth() {
    var numbers = SeededNumbers(seed: 29)
    var faults: [String] = []
    var starts: Set<String> = []
    for _ in 0..<5000 {
      let facts = facts(&numbers)
      let verdict = verdict(facts)
      starts.insert(
        verdict.sentence.split(separator: " ").suffix(3).filter { Int($0) == nil }.joined(separator: " "))
      if verdict.level != .safe, verdict.actions.isEmpty { faults.append("no action: \(verdict.sentence)") }
      guard !facts.copies.isEmpty, let fault = untruth(verdict, facts) else { continue }
      faults.append("\(fault): \(verdict.sentence) \(verdict.actions.map(\.message)) \(facts)")
    }
    #expect(faults.count == 0, "\(faults.first ?? "")")
    #expect(starts.count > 9, "\(starts)")
  }

  /// Facts that a generator chose.
  private struct Facts {
    var photos: Int
    var copies: [LibraryCopy]
    var testedDaysAgo: Int?
    var now = ProtectionVerdictTests.now
  }

  private func facts(_ numbers: inout SeededNumbers) -> Facts {
    let photos = Int.random(in: 1...5, using: &numbers)
    let problems: [LibraryCopy.Problem?] = [
      nil, nil, nil, nil, nil, .suspect, .unreachable, .missing, .changed,
    ]
    let tests: [JobStatus.DestinationTestRecord.Outcome?] = [
      .passed, .passed, .passed, nil, .failed, .unreachable, .incomplete, .missing,
    ]
    let copies = (0..<Int.random(in: 0...3, using: &numbers)).map { number in
      copy(
        at: "/n\(number)", daysAgo: .random(in: 0...9, using: &numbers),
        isOnSameDevice: .random(using: &numbers), isInMemory: Int.random(in: 0...4, using: &numbers) == 0,
        isVerified: Int.random(in: 0...3, using: &numbers) > 0,
        problem: problems.randomElement(using: &numbers) ?? nil,
        added: [0, 0, 0, 1, photos, nil].randomElement(using: &numbers) ?? nil,
        test: tests.randomElement(using: &numbers) ?? nil, hasPassedBefore: .random(using: &numbers),
        isSelection: Int.random(in: 0...6, using: &numbers) == 0,
        missing: Int.random(in: 0...6, using: &numbers) == 0 ? 1 : 0)
    }
    let isTested = copies.contains { $0.test?.lastPassedAt != nil }
    return Facts(photos: photos, copies: copies, testedDaysAgo: isTested ? 2 : nil)
  }

  private func verdict(_ facts: Facts) -> ProtectionVerdict {
    verdict(photos: facts.photos, facts.copies, testedDaysAgo: facts.testedDaysAgo, now: facts.now)
  }

  /// Returns a copy with other facts.
  private func with(
    _ copy: LibraryCopy, problem: LibraryCopy.Problem?, added: Int?, test: JobStatus.DestinationTestRecord?
  ) -> LibraryCopy {
    LibraryCopy(
      job: copy.job, copy: copy.copy, problem: problem, isShared: copy.isShared, photosAdded: added,
      test: test)
  }

  /// Returns the facts after each thing that can happen to a library and its copies and is no improvement.
  private func worse(_ facts: Facts) -> [(name: String, facts: Facts)] {
    var photoAdded = facts
    photoAdded.photos += 1
    photoAdded.copies = facts.copies.map {
      with($0, problem: $0.problem, added: $0.photosAdded.map { $0 + 1 }, test: $0.test)
    }
    var older = facts
    older.now += 200 * 86_400
    var all: [(name: String, facts: Facts)] = [("a photo was added", photoAdded), ("200 days passed", older)]
    for (index, copy) in facts.copies.enumerated() {
      for problem in [LibraryCopy.Problem.suspect, .unreachable, .missing, .changed] {
        var lost = facts
        lost.copies[index] = with(copy, problem: problem, added: copy.photosAdded, test: copy.test)
        all.append(("a copy is \(problem)", lost))
      }
      for outcome in [JobStatus.DestinationTestRecord.Outcome.failed, .missing, .unreachable, .incomplete] {
        var failed = facts
        var test = copy.test ?? JobStatus.DestinationTestRecord(passed: copy.copy.path, at: 0)
        if copy.test == nil { test.lastPassedAt = nil }
        test.outcome = outcome
        failed.copies[index] = with(copy, problem: copy.problem, added: copy.photosAdded, test: test)
        all.append(("a restore test ended with \(outcome)", failed))
      }
      // a destination that the job no longer has needs no action
      guard copy.problem == nil, copy.test.map({ $0.outcome == .passed }) ?? true else { continue }
      var removed = facts
      removed.copies.remove(at: index)
      all.append(("a copy was removed", removed))
    }
    return all
  }

  @Test("Verdict: nothing that gets worse improves the level, and no photo is called safe in danger")
  func monotone() {
    var numbers = SeededNumbers(seed: 26)
    var levels: Set<ProtectionVerdict.Level> = []
    var faults: [String] = []
    for _ in 0..<500 {
      let facts = facts(&numbers)
      let before = verdict(facts)
      levels.insert(before.level)
      for (name, facts) in [("nothing happened", facts)] + worse(facts) {
        let after = verdict(facts)
        let claims = after.sentence.contains("are safe") || after.sentence.contains("is safe")
        let hasSafePhoto = facts.copies.contains { copy in
          copy.isProtecting && copy.verifiedAt != nil && copy.testedAt != nil
            && copy.photosAdded.map { $0 < facts.photos } ?? false
        }
        if after.level < before.level || claims && (!hasSafePhoto || after.level == .danger) {
          faults.append("\(name): \(before.sentence) \(after.sentence) \(facts)")
        }
      }
    }
    #expect(faults.count == 0, "\(faults.first ?? "")")
    #expect(levels == Set(ProtectionVerdict.Level.allCases))
  }
}
