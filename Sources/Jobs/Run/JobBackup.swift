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
  /// Archives that a drill could not restore, or that a run found damaged, by path, and when, in milliseconds since 1970.
  private let doubts: [FilePath: Int64]
  /// The library's number.
  var libraryID: String?
  /// That of the library which was last backed up from there; nil where nobody knows.
  private let formerID: String?
  var summary = ExportSummary()
  /// What was selected, whatever of it is written.
  private var selected = (photos: 0, bytes: 0)
  var records: [JobStatus.DestinationRecord]
  var warnings: [String] = []
  /// What this run has read back, by path.
  var verified: Set<String> = []
  var readBack: ReadBack
  /// A drill found photos of the library damaged, and nobody has found them whole since.
  let isLibraryDamaged: Bool
  /// They were looked for, and are whole.
  var isLibraryMended = false
  /// What the archives that are there already lack.
  var lacking: [ArchiveRecord.Lack] = []
  /// What keeps the run from being complete besides photos and destinations, as archives that no policy keeps and that are
  /// still there.
  var shortcomings: [String] = []
  var copies: [JobStatus.Copy] = []
  /// Folders that are not there, or not those that are meant.
  private(set) var outOfReach: Set<String> = []

  init(
    _ job: Job, _ library: FilePath, _ before: JobStatus, _ context: JobContext, _ counter: ProgressCounter
  ) {
    self.job = job
    self.library = library
    let doubted = before.copies.filter { $0.isDoubted == true }
    doubts = Dictionary(
      doubted.flatMap { copy in copy.archives.map { (FilePath($0), copy.doubtedAt ?? .max) } },
      uniquingKeysWith: max)
    isLibraryDamaged = before.lastDrill?.damaged != nil
    formerID = before.isIn(folder: library) ? before.libraryNumber : nil
    self.context = context
    self.counter = counter
    readBack = Self.readBack(job, nil, context)
    records = job.destinations.map { JobStatus.DestinationRecord(path: $0.path.string) }
  }

  private static func readBack(_ job: Job, _ password: Secret?, _ context: JobContext) -> ReadBack {
    ReadBack(verifies: job.verifies, password: password, cache: context.cache, now: context.now)
  }

  mutating func run() throws {
    try checkDestinations()
    password = try job.password.map(context.password)
    readBack = Self.readBack(job, password, context)
    // what was found stands in the status, whatever has become of the cache
    let suspects = doubts.filter { (context.cache?.known(of: $0.key)?.verifiedAt ?? .min) < $0.value }
    context.cache?.doubt(Array(suspects.keys), password: password)
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
    try forEachUsable { backup, index in try backup.readBackCopy(at: index) }
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
        backup.outOfReach.insert(destinations[index].path.string)
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
        records[index].failure = "\(error)"
        first = first ?? error
      }
    }
    if usable.isEmpty, let first { throw first }
  }

  func catalog(at index: Int) throws -> Catalog {
    try Catalog(
      folder: job.destinations[index].path, password: password, cache: context.cache,
      whileReading: counter.checkCancellation)
  }

  // MARK: Writing

  func options() -> ExportOptions {
    var options = job.exportOptions
    options.password = password
    options.date = context.now()
    // others' archives would be copied to all destinations, and this job's retention passes over them
    options.mayRest = { [readBack, tag = job.name] paths, counter in
      try readBack.mayBeRestedOn(paths, taggedWith: tag, counter)
    }
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
  private mutating func export() throws -> (Int, [ArchiveRecord]) {
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
        let archives = try summary.archives.map { try ArchiveRecord(path: $0, password: password) }
        if job.verifies { verified.formUnion(archives.map(\.path)) }
        return (index, archives)
      } catch let error where Self.concernsDestination(error) {
        records[index].failure = "\(error)"
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
    return now.map(\.message) + lacking.filter { !named.contains($0.photo) }.map(\.finding.message)
  }

  /// Says in a run's record what was done.
  func fill(_ run: inout JobStatus.RunRecord) {
    run.destinations = records
    run.archives = records.first { !$0.archives.isEmpty }?.archives ?? []
    (run.photos, run.bytes) = selected
    run.archiveBytes = summary.archiveBytes
    run.missing = missing
    run.warnings += warnings + shortcomings + readBack.warnings
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
