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
    package var at: Timestamp
    /// The outcome of the test.
    package var outcome: Outcome
    /// The archive that was restored, or that is missing; nil if none is known.
    package var archive: String?
    /// Why the test did not pass, in one line.
    package var failure: String?
    /// When a test at the destination last passed.
    package var lastPassedAt: Timestamp?

    /// Makes the record of a test that passed.
    init(passed path: String, at: Timestamp) {
      (self.path, self.at, outcome, lastPassedAt) = (path, at, .passed, at)
    }

    /// Describes the result of a test.
    init(_ result: RestoreTestResult, at: Timestamp) {
      self.init(passed: result.destination.string, at: at)
      archive = result.missingCopy?.item ?? result.restore?.archive
      failure = result.failures.first?.message
      let missing = result.comparison.missingInBoth
      switch result.outcome {
      case .unreachable: outcome = .unreachable
      case .noArchive: outcome = .missing
      case .restored where result.missingCopy != nil: outcome = .missing
      case .restored where !result.isRestored: outcome = .failed
      case .restored where missing > 0:
        outcome = .incomplete
        failure =
          "\(Count(missing, "photo is", "photos are")) missing from both \(archive ?? path) and the library"
      case .restored: return
      }
      lastPassedAt = nil
    }
  }

  /// Returns the last test at each destination.
  ///
  /// - Parameters:
  ///   - runs: the runs of the job, the newest first.
  ///   - destinations: the destinations of the job.
  static func restoreTests(_ runs: [LedgerRun], at destinations: [String]) -> [DestinationTestRecord] {
    let tests = runs.compactMap { $0.restoreTest?.destinations }
    return destinations.compactMap { destination in
      let records = tests.compactMap { test in test.first { $0.path == destination } }
      guard var last = records.first else { return nil }
      last.lastPassedAt = records.first { $0.outcome == .passed }?.at
      return last
    }
  }
}
