import Operations

/// What the phases of a backup did so far. Each phase turns a destination into the next state of it, with issues.
struct BackupOutcome {
  /// What a phase made of one destination.
  typealias Step = (target: Target, issues: [Issue])

  /// The destinations, as in the job file.
  var targets: [Target]
  /// The library's ID; nil until it was read.
  var libraryID: String?
  /// The photos that the job selects, and their bytes.
  var selected = (photos: 0, bytes: 0)
  /// The bytes of the archives that were exported.
  var archiveBytes = 0
  /// True if every photo of the library was read and is intact.
  var isLibraryIntact = false
  /// What is wrong with photos of the library, or missing from its newest archives.
  private(set) var photoIssues: [Issue] = []
  private var otherIssues: [Issue] = []

  init(_ destinations: [JobDestination]) { targets = destinations.map(Target.init) }

  /// The destinations that did not fail.
  var usable: [Target] { targets.filter { $0.failure == nil } }

  /// Everything that the phases report.
  var issues: [Issue] { targets.compactMap(\.failure) + photoIssues + otherIssues }

  /// The archives that hold the library as it is, at the first destination that has any.
  var archives: [String] { targets.first { !$0.current.isEmpty }?.current.map(\.path) ?? [] }

  /// Adds issues that were not reported yet.
  mutating func report(_ issues: [Issue]) {
    for issue in issues where !otherIssues.contains(issue) { otherIssues.append(issue) }
  }

  /// Adds what was found wrong with photos that were not reported yet.
  mutating func report(photos findings: [Finding]) {
    for finding in findings {
      let subject = Issue.Subject.photo(finding.item)
      guard !photoIssues.contains(where: { $0.subject == subject }) else { continue }
      photoIssues.append(.incomplete(subject, finding.message))
    }
  }

  /// Runs a phase at each destination that can be used. A destination where it fails is not used any more, and keeps
  /// nothing from the others.
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

  /// Replaces each destination that can be used.
  mutating func update(_ transform: (Target) -> Target) {
    targets = targets.map { $0.failure == nil ? transform($0) : $0 }
  }
}
