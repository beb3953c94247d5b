import ArchiveCatalog
import FileSystem
import Operations

extension JobStatus {
  /// The last restore test at a destination.
  package struct DestinationTestRecord: Sendable, Equatable, Codable {
    /// The outcome of a test at a destination.
    package enum Outcome: String, Sendable, Codable, CaseIterable {
      /// Every tested photo was restored.
      case passed
      /// Every tested photo of the archive was restored, but the archive and the library both lack photos.
      case incomplete
      /// The archive could not be restored.
      case failed
      /// The destination has no archive, or the archive of the last backup is missing, unreadable or replaced.
      case missing
      /// The destination could not be read.
      case unreachable
    }

    /// The path of the folder.
    package var path: String
    /// When the test ended.
    package var at: Int64
    /// The outcome of the test.
    package var outcome: Outcome
    /// The archive that was restored, or that is missing; nil if none is known.
    package var archive: String?
    /// Why the test did not pass, in one line.
    package var failure: String?
    /// When a test at the destination last passed.
    package var lastPassedAt: Int64?

    /// Makes the record of a test in an entry of an older version, which recorded only tests that passed everywhere.
    init(passed path: String, at: Int64) {
      (self.path, self.at, outcome, lastPassedAt) = (path, at, .passed, at)
    }

    /// Describes the result of a test.
    init(_ result: RestoreTestResult, at: Int64) {
      (path, self.at) = (result.destination.string, at)
      archive = result.missingCopy?.item ?? result.restore?.archive
      failure = result.failures.first?.message
      let lost = result.comparison.lost
      switch result.outcome {
      case .unreachable: outcome = .unreachable
      case .noArchive: outcome = .missing
      case .restored where result.missingCopy != nil: outcome = .missing
      case .restored where !result.isRestored: outcome = .failed
      case .restored where lost > 0:
        outcome = .incomplete
        failure =
          "\(Count(lost, "photo is", "photos are")) missing from both \(archive ?? path) and the library"
      case .restored:
        (outcome, lastPassedAt) = (.passed, at)
      }
    }
  }

  /// Returns the last test at each destination.
  ///
  /// - Parameters:
  ///   - runs: the runs of the job, the newest first.
  ///   - destinations: the destinations of the job.
  ///   - copies: the copies that the runs found.
  static func restoreTests(_ runs: [LedgerRun], at destinations: [String], _ copies: [LedgerCopy])
    -> [DestinationTestRecord]
  {
    let tests = runs.compactMap { run in run.restoreTest.map { (position: run.startPosition, details: $0) } }
    return destinations.compactMap { destination in
      let firstCopy = copies.lazy.filter { $0.destination == destination }.compactMap(\.run).min()
      let records = tests.compactMap { position, details in
        if let all = details.destinations { return all.first { $0.path == destination } }
        // the test reached the destinations of its time, which had copies
        guard details.test.hasPassed, let firstCopy, firstCopy < position else { return nil }
        return DestinationTestRecord(passed: destination, at: details.test.at)
      }
      guard var last = records.first else { return nil }
      last.lastPassedAt = records.first { $0.outcome == .passed }?.at
      return last
    }
  }
}
