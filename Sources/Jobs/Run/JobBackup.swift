import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// What a run does between its hooks: looks at the destinations, exports to one, copies to the others, and prunes.
struct JobBackup {
  let job: Job
  let library: FilePath
  let context: JobContext
  let counter: ProgressCounter
  var password: Secret?
  /// The library's number.
  var libraryID: String?
  /// That of the library which was last backed up from there; nil where nobody knows.
  private let formerID: String?
  var summary = ExportSummary()
  /// What was selected, whatever of it is written.
  private var selected = (photos: 0, bytes: 0)
  var records: [JobStatus.DestinationRecord]
  var warnings: [String] = []
  /// What this run observes of archives.
  let observer: ArchiveObserver
  /// A restore test found photos of the library damaged, and no run has found them intact since.
  let isLibraryDamaged: Bool
  /// This run has read every photo of the library, and all are intact.
  var isLibraryIntact = false
  /// What the archives that are there already lack.
  var missingPhotos: [ArchiveDescriptor.MissingPhoto] = []
  /// What keeps the run from being complete besides photos and destinations, as archives that no policy keeps and that are
  /// still there.
  var shortcomings: [String] = []
  var copies: [JobStatus.Copy] = []
  /// The copies that were known before this run.
  private let knownCopies: [JobStatus.Copy]

  init(
    _ job: Job, _ library: FilePath, _ before: JobStatus, _ context: JobContext, _ counter: ProgressCounter
  ) {
    self.job = job
    self.library = library
    knownCopies = before.copies
    isLibraryDamaged = before.lastDrill?.damaged != nil
    formerID = before.isIn(folder: library) ? before.libraryNumber : nil
    self.context = context
    self.counter = counter
    observer = context.ledger.observer("backup \(job.name)", now: context.now)
    records = job.destinations.map { JobStatus.DestinationRecord(path: $0.path.string) }
  }

  /// Verifies archives of which this run relies on being intact.
  var verifier: ArchiveVerifier {
    ArchiveVerifier(observer: observer, password: password, verifiesUnknown: job.verifies)
  }

  /// Returns whether this run has found an archive damaged. Blocks.
  func isDamaged(_ archive: ArchiveDescriptor) -> Bool {
    ArchiveFile(at: FilePath(archive.path)).map(observer.hasFoundDamaged) ?? false
  }

  mutating func run() throws {
    try checkDestinations()
    password = try job.password.map(context.password)
    summary = try plan()
    if let formerID, let libraryID, formerID != libraryID {
      shortcomings.append(
        "\(library) is another library than in the run before, with \(Count(summary.photos, "photo")); the archives of "
          + "that one stay")
    }
    selected = (summary.photos, summary.bytes)
    try counter.checkCancellation()

    // forced, too: what has changed since it was read back is found on the way
    var current = try archivesOfThisState()
    if context.isForced { current = [:] }
    let source: Int
    if let first = current.keys.min() {
      source = first
      // nothing is written, and what is wrong with what is there is said every time
      try lookAgain(at: current[first, default: []], at: first)
    } else {
      let (index, archives) = try export()
      records[index].isNew = true
      current[index] = archives
      source = index
    }
    for (index, archives) in current { records[index].archives = archives.map(\.path) }
    for index in usable where current[index] == nil {
      try copy(current[source] ?? [], from: source, to: index)
    }
    try lookForKnownDamage()
    try forEachUsable { backup, index in try backup.verifyCopy(at: index) }
    for index in usable {
      // where it is stopped, what is gone is no copy any more
      defer { noteCopy(at: index) }
      try prune(index)
    }
    for index in usable { disownDamaged(at: index) }
  }

  // MARK: Destinations

  /// Those that nothing was found wrong with, by index.
  var usable: [Int] { records.indices.filter { records[$0].failure == nil } }

  /// Notes what is wrong with each destination that cannot be written.
  ///
  /// - Throws: what is wrong with the first, if there is no other.
  private mutating func checkDestinations() throws {
    let destinations = job.destinations
    let library = library
    try forEachUsable { backup, index in
      do {
        try destinations[index].check()
      } catch let fault as DestinationFault where fault.isAbsence {
        let copies = backup.knownCopies.filter { $0.path == destinations[index].path.string }
        backup.observer.record(.unreachable, of: copies.flatMap(\.files).map { ($0, nil) })
        throw fault
      }
      // the job file may leave it to the command line to name the library
      let path = destinations[index].path
      if path.leads(into: library) { throw BackupError.destinationInLibrary(path) }
      // one folder can have two names, where it is mounted twice
      let other = backup.usable.first {
        $0 < index && destinations[$0].identity == destinations[index].identity
      }
      if let other { throw DestinationFault.sameFolder(path, as: destinations[other].path) }
    }
    for index in usable {
      guard let weakness = destinations[index].weakness(for: library) else { continue }
      warnings.append("\(destinations[index].path) \(weakness)")
    }
  }

  /// Does something at every destination. One that fails is noted and left alone from then on: it keeps nothing from the
  /// others.
  ///
  /// - Throws: the first failure, if no destination is left; `CancellationError`.
  mutating func forEachUsable(_ body: (inout Self, Int) throws -> Void) throws {
    var first: (any Error)?
    for index in usable {
      do {
        try body(&self, index)
      } catch let error as CancellationError {
        throw error
      } catch {
        records[index].failure = JobMessage.text(of: error)
        first = first ?? error
      }
    }
    if usable.isEmpty, let first { throw first }
  }

  func inventory(at index: Int) throws -> ArchiveInventory {
    try ArchiveInventory(
      folder: job.destinations[index].path, password: password, ledger: context.ledger,
      whileReading: counter.checkCancellation)
  }

  // MARK: Writing

  func options() -> ExportOptions {
    var options = job.exportOptions
    options.password = password
    options.date = context.now()
    // other archives would be copied to all destinations, where this job's retention would keep them for ever
    options.baseTag = job.name
    options.observer = observer
    return options
  }

  private mutating func plan() throws -> ExportSummary {
    let library = try Library(path: library)
    libraryID = try library.uuid()
    return try library.holdingPhotos(
      lockWait: .seconds(job.lockWait), whileWaiting: counter.waitForWriter
    ) { try job.plan(of: library, holding: library.contents(), password: password) }
  }

  /// Exports to the first destination that takes it.
  private mutating func export() throws -> (Int, [ArchiveDescriptor]) {
    var failure: (any Error)?
    for index in usable {
      do {
        // reading back may have taken long, and another may have unmounted it
        try job.destinations[index].check()
        let folder = job.destinations[index].path
        summary = try ExportRun(
          libraryPath: library, destination: folder, options: options(), counter: counter
        ).run()
        warnings += summary.warnings
        return (index, try summary.archives.map { try ArchiveDescriptor(path: $0, password: password) })
      } catch let error where Self.concernsDestination(error) {
        records[index].failure = JobMessage.text(of: error)
        failure = failure ?? error
      }
    }
    throw failure ?? DestinationFault.gone("")
  }

  /// Whether another destination may take what this one does not: a full disk, a broken one.
  private static func concernsDestination(_ error: any Error) -> Bool {
    switch error {
    case BackupError.notEnoughSpace, BackupError.verificationFailed, BackupError.destinationInLibrary,
      BackupError.noSuchDestination, is DestinationFault, is FileError:
      true
    case BackupError.setCutShort(_, _, let error): concernsDestination(error)
    default: false
    }
  }

  /// Photos that the newest archive has not, or not as they should be.
  var missing: [String] {
    let now = summary.missing + summary.damaged
    let named = Set(now.map(\.item))
    return now.map(\.message) + missingPhotos.filter { !named.contains($0.label) }.map(\.finding.message)
  }

  /// Says in a run's record what was done.
  func fill(_ run: inout JobStatus.RunRecord) {
    run.destinations = records
    run.archives = records.first { !$0.archives.isEmpty }?.archives ?? []
    (run.photos, run.bytes) = selected
    run.archiveBytes = summary.archiveBytes
    run.missing = missing
    run.warnings += warnings + shortcomings + observer.damageWarnings
    let failures = records.compactMap(\.failure)
    if !run.missing.isEmpty || !failures.isEmpty || !shortcomings.isEmpty {
      run.outcome = .incomplete
      run.exitCode = JobStatus.incompleteCode
      run.message =
        failures.isEmpty ? run.missing.first ?? shortcomings.first : failures.joined(separator: "; ")
    } else {
      run.outcome = records.contains { $0.isNew } ? .done : .unchanged
      run.exitCode = 0
    }
  }
}
