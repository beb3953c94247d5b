import Operations

/// The results of the phases of a run so far. A phase that looks at destinations returns the new state and issues of each.
struct PhaseResults {
  /// The result of a phase at one destination.
  typealias Step = (destination: DestinationState, issues: [Issue])

  /// The destinations, in the order of the job file.
  var destinations: [DestinationState] = []
  /// True if the run is of the library of the job, so that it changes the job's status.
  var isOfJob = true
  /// The results of a restore test; nil in a backup.
  var test: RestoreTestReport?
  /// The library's ID; nil until the library was read.
  var libraryID: String?
  /// The number of photos that the job selects or that a restore test compared, and their size in bytes.
  var selected = (photos: 0, bytes: 0)
  /// What the run imported from the inboxes; nil if the job has none.
  var inbox: JobStatus.InboxRecord?
  /// The size of the exported archives in bytes.
  var archiveBytes = 0
  /// Returns true for the ID of a photo that the run has read, or that the library no longer has.
  var coversPhoto: @Sendable (Int64) -> Bool = { _ in false }
  /// Photos that are damaged in the library or missing from its newest archives.
  private(set) var photoFindings: [Finding] = []
  private var reportedPhotos: Set<Finding.Subject> = []
  private var otherIssues: [Issue] = []

  /// The destinations without a failure.
  var usable: [DestinationState] { destinations.filter { $0.reasonToSkip == nil } }

  /// All issues.
  var issues: [Issue] {
    destinations.compactMap(\.reasonToSkip)
      + photoFindings.map { .incomplete(.photo, $0.message) } + (test?.issues ?? []) + otherIssues
  }

  /// What the run found about the photos of the library.
  var photos: PhotoFindings { PhotoFindings(damaged: photoFindings, covers: coversPhoto) }

  /// The archives that a restore test restored or failed to restore, or the archives with the current content of the
  /// library, at the first destination that has any.
  var archives: [String] {
    test?.archives
      ?? destinations.first { !$0.upToDateArchives.isEmpty }?.upToDateArchives.map(\.path) ?? []
  }

  /// The message of a run that is stopped now.
  var interruption: String {
    if test != nil { return "stopped; the temporary library was removed" }
    return archives.isEmpty
      ? "stopped before anything was published"
      : "stopped; the library is backed up in \(archives.joined(separator: ", "))"
  }

  /// Adds issues that are not reported yet.
  mutating func report(_ issues: [Issue]) {
    for issue in issues where !otherIssues.contains(issue) { otherIssues.append(issue) }
  }

  /// Replaces the issues of the status files.
  mutating func reportStatus(_ issues: [Issue]) {
    otherIssues.removeAll { $0.subject == .status }
    report(issues)
  }

  /// Adds findings about photos that are not reported yet.
  mutating func report(photos findings: [Finding]) {
    for finding in findings where reportedPhotos.insert(finding.subject).inserted {
      photoFindings.append(finding)
    }
  }

  /// Runs a phase at each usable destination. If the phase fails at a destination, later phases skip this
  /// destination and still use the others.
  ///
  /// - Throws: the first failure, if no destination is left; `CancellationError`.
  mutating func apply(_ phase: (DestinationState) throws -> Step) throws {
    var first: (any Error)?
    for index in destinations.indices where destinations[index].reasonToSkip == nil {
      do {
        let step = try phase(destinations[index])
        destinations[index] = step.destination
        report(step.issues)
      } catch let error as CancellationError {
        throw error
      } catch {
        destinations[index] = destinations[index].skipped(because: error)
        first = first ?? error
      }
    }
    if usable.isEmpty, let first { throw first }
  }

  /// Runs a phase at usable destinations until it succeeds at one. Later phases skip the destinations at which the phase
  /// failed.
  ///
  /// - Throws: the first failure, if no destination is left; an error that does not concern the destination.
  mutating func applyToFirst<Value>(
    _ phase: (DestinationState) throws -> (DestinationState, Value), concernsDestination: (any Error) -> Bool
  ) throws -> Value {
    var first: (any Error)?
    for index in destinations.indices where destinations[index].reasonToSkip == nil {
      do {
        let (destination, value) = try phase(destinations[index])
        destinations[index] = destination
        return value
      } catch  where concernsDestination(error) {
        destinations[index] = destinations[index].skipped(because: error)
        first = first ?? error
      }
    }
    guard let first else { preconditionFailure("the phase before fails if no destination is left") }
    throw first
  }

  /// Replaces each usable destination.
  mutating func update(_ transform: (DestinationState) -> DestinationState) {
    destinations = destinations.map { $0.reasonToSkip == nil ? transform($0) : $0 }
  }
}
