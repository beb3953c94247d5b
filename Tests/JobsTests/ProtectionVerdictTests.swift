import ArchiveCatalog
import Foundation
import PhotoLibrary
import SystemPackage
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

  private static func time(daysAgo days: Int) -> Int64 { now.milliseconds - Int64(days) * 86_400_000 }

  /// A copy that is complete, verified and on another device.
  private func copy(
    daysAgo: Int = 0, isOnSameDevice: Bool = false, isVerified: Bool = true,
    problem: CountedCopy.Problem? = nil,
    added: Int? = 0
  ) -> CountedCopy {
    CountedCopy(
      job: "family",
      copy: JobStatus.Copy(
        path: "/disk", archive: "/disk/a.zip", madeAt: Self.time(daysAgo: daysAgo),
        verifiedAt: isVerified ? Self.time(daysAgo: daysAgo) : nil, isOnSameDevice: isOnSameDevice, files: []),
      problem: problem, isShared: false, photosAdded: added)
  }

  private func verdict(
    photos: Int = 12_345, _ copies: [CountedCopy], testedDaysAgo: Int? = 2, ledgerProblem: String? = nil,
    run: JobStatus.RunRecord? = nil
  ) -> ProtectionVerdict {
    var job = JobStatus(job: "family")
    job.copies = copies.map(\.copy)
    var record = JobStatus.RunRecord(startedAt: Self.time(daysAgo: 0))
    record.outcome = .done
    (job.run, job.lastSuccess) = (run ?? record, record)
    return ProtectionVerdict(
      of: LibraryProtection(
        path: "/Family", totals: (photos, 3, photos * 1000), lastExport: nil, photosAdded: nil,
        jobs: copies.isEmpty ? [] : [job], formerJobs: [], copies: copies,
        testedAt: testedDaysAgo.map(Self.time), ledgerProblem: ledgerProblem),
      now: Self.now, calendar: Self.calendar)
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

  @Test("Verdict: photos that were added since the newest copy are not called safe")
  func added() {
    let verdict = verdict([copy(daysAgo: 1, added: 5), copy(daysAgo: 9, added: 70)])
    #expect(
      verdict.sentence
        == "12,340 of 12,345 photos are safe in the newest copy, from yesterday; 5 were added since.")
    #expect(verdict.level == .attention)
  }

  @Test("Verdict: copies on the device of the library are lost with it")
  func sameDevice() {
    let verdict = verdict([copy(isOnSameDevice: true)])
    #expect(verdict.level == .danger)
    #expect(verdict.sentence.hasSuffix("but each copy is on the device of the library."))
    #expect(verdict.actions.first?.message.contains("add a destination") == true)
  }

  @Test(
    "Verdict: a copy with a problem does not count, and is an action",
    arguments: [CountedCopy.Problem.suspect, .unreachable, .changed])
  func problem(problem: CountedCopy.Problem) {
    let verdict = verdict([copy(problem: problem)])
    #expect(verdict.level == .danger)
    #expect(verdict.sentence == "All 12,345 photos are in no complete copy that a job made.")
    #expect(verdict.actions.first?.message.contains("/disk") == true)
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
    #expect(verdict([copy(isVerified: false)]).sentence.contains("no copy is verified"))
  }

  @Test("Verdict: without a restore test, or with an old one, the next one is due", arguments: [nil, 93])
  func untested(days: Int?) {
    let verdict = verdict([copy()], testedDaysAgo: days)
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
}
