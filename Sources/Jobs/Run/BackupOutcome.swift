import Operations

/// The results of the phases of a backup so far. Each phase returns a destination's new state and issues.
struct BackupOutcome {
  /// The result of a phase at one destination.
  typealias Step = (target: Target, issues: [Issue])

  /// The destinations, in the order of the job file.
  var targets: [Target]
  /// The library's ID; nil until the library was read.
  var libraryID: String?
  /// The number of photos that the job selects, and their size in bytes.
  var selected = (photos: 0, bytes: 0)
  /// The size of the exported archives in bytes.
  var archiveBytes = 0
  /// True if every photo of the library was read and is intact.
  var isLibraryIntact = false
  /// Issues of photos that are damaged in the library or missing from its newest archives.
  private(set) var photoIssues: [Issue] = []
  private var otherIssues: [Issue] = []

  init(_ destinations: [JobDestination]) { targets = destinations.map(Target.init) }

  /// The destinations without a failure.
  var usable: [Target] { targets.filter { $0.failure == nil } }

  /// All issues of the phases.
  var issues: [Issue] { targets.compactMap(\.failure) + photoIssues + otherIssues }

  /// The archives with the current state of the library, at the first destination that has any.
  var archives: [String] { targets.first { !$0.current.isEmpty }?.current.map(\.path) ?? [] }

  /// Adds issues that are not reported yet.
  mutating func report(_ issues: [Issue]) {
    for issue in issues where !otherIssues.contains(issue) { otherIssues.append(issue) }
  }

  /// Adds findings about photos that are not reported yet.
  mutating func report(photos findings: [Finding]) {
    for finding in findings {
      let subject = Issue.Subject.photo(finding.item)
      guard !photoIssues.contains(where: { $0.subject == subject }) else { continue }
      photoIssues.append(.incomplete(subject, finding.message))
    }
  }

  /// Runs a phase at each usable destination. If the phase fails at a destination, later phases skip this
  /// destination and still use the others.
  ///
  /// - Throws: the first failure, if no destination is left; `CancellationError`.
  mutating func apply(_ phase: (Target) throws -> Step) throws {
    var first: (any Error)?
    for index in targets.indices where targets[index].failure == nil {
      do {
        let step = try phase(targets[index])
        targets[index] = step.target
        report(step.issues)
      } catch let error as CancellationError {
        throw error
      } catch {
        targets[index] = targets[index].failed(error)
        first = first ?? error
      }
    }
    if usable.isEmpty, let first { throw first }
  }

  /// Replaces each usable destination.
  mutating func update(_ transform: (Target) -> Target) {
    targets = targets.map { $0.failure == nil ? transform($0) : $0 }
  }
}
