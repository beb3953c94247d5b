import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// What a run does between its hooks: looks at the destinations, exports to one, copies to the others, and prunes.
struct JobBackup {
  private let job: Job
  private let library: FilePath
  private let context: JobContext
  private let counter: ProgressCounter
  private var password: Secret?
  private var summary = ExportSummary()
  private var records: [JobStatus.DestinationRecord]
  private var warnings: [String] = []
  /// What this run has read back, by path.
  private var verified: Set<String> = []
  private var readBack: ReadBack
  /// What the archives that are there already lack.
  private var lacking: [ArchiveRecord.Lack] = []
  /// Why archives that no policy keeps are still there.
  private var notPruned: [String] = []
  private(set) var copies: [JobStatus.Copy] = []

  init(_ job: Job, _ library: FilePath, _ context: JobContext, _ counter: ProgressCounter) {
    self.job = job
    self.library = library
    self.context = context
    self.counter = counter
    readBack = ReadBack(job, nil, context, counter)
    records = job.destinations.map { JobStatus.DestinationRecord(path: $0.path.string) }
  }

  mutating func run() throws {
    try checkDestinations()
    password = try job.password.map(context.password)
    readBack = ReadBack(job, password, context, counter)
    summary = try plan()
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
    for index in usable { try prune(index) }
    for index in usable { noteCopy(at: index) }
  }

  // MARK: Destinations

  /// Those that nothing was found wrong with, by index.
  private var usable: [Int] { records.indices.filter { records[$0].failure == nil } }

  /// Notes what is wrong with each destination that cannot be written.
  ///
  /// - Throws: what is wrong with the first, if there is no other.
  private mutating func checkDestinations() throws {
    let destinations = job.destinations
    let library = library
    try forEachUsable { backup, index in
      try destinations[index].check()
      // the job file may leave it to the command line to name the library
      let path = destinations[index].path
      if path.leads(into: library) { throw BackupError.destinationInLibrary(path) }
    }
    for index in usable where destinations[index].sharesDevice(with: library) {
      warnings.append(
        "\(destinations[index].path) lies on the library's own device, and is no protection if that fails")
    }
  }

  /// Does something at every destination. One that fails is noted and left alone from then on: it keeps nothing from the
  /// others.
  ///
  /// - Throws: the first failure, if no destination is left; `CancellationError`.
  private mutating func forEachUsable(_ body: (inout Self, Int) throws -> Void) throws {
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

  private func catalog(at index: Int) throws -> Catalog {
    try Catalog(
      folder: job.destinations[index].path, password: password, cache: context.cache,
      whileReading: counter.checkCancellation)
  }

  /// The job's newest archives at each destination where they hold the library as it is now and can be restored.
  private mutating func archivesOfThisState() throws -> [Int: [ArchiveRecord]] {
    var current: [Int: [ArchiveRecord]] = [:]
    try forEachUsable { backup, index in current[index] = try backup.archivesOfThisState(at: index) }
    return current
  }

  private mutating func archivesOfThisState(at index: Int) throws -> [ArchiveRecord]? {
    let catalog = try catalog(at: index)
    let own = catalog.archives(of: job)
    let now = context.now()
    if let ahead = own.last, ahead.isAhead(of: now) {
      warnings.append("\(ahead.path) is dated in the future; is the clock right?")
    }
    guard let newest = own.last(where: { !$0.isAhead(of: now) }) else { return nil }
    let members: [ArchiveRecord]
    do {
      members = try catalog.members(of: newest)
    } catch {
      warnings.append("\(error)")
      return nil
    }
    guard try readBack.areWhole(members), newest.state == summary.state, try !libraryHasMended(members) else {
      return nil
    }
    return newest.part == nil ? [newest] : members.sorted { ($0.part?.number ?? 0) < ($1.part?.number ?? 0) }
  }

  /// Notes what is wrong with a library of whose state there are archives already.
  private mutating func lookAgain(at archives: [ArchiveRecord], at index: Int) throws {
    lacking = archives.flatMap(\.lacking)
    // for an increment, nobody has read what its base holds
    guard let newest = archives.first, newest.base != nil,
      let full = try catalog(at: index).members(of: newest).last
    else { return }
    let library = try Library(path: library)
    summary.damaged += try library.damaged(
      in: library.contents(), touchedAfter: full.date, options(), counter)
  }

  /// Whether the library holds a photo again, as it should be, that archives of its state lack.
  private func libraryHasMended(_ archives: [ArchiveRecord]) throws -> Bool {
    let lacking = Set(archives.flatMap(\.lacking).map(\.id))
    guard !lacking.isEmpty else { return false }
    let library = try Library(path: library)
    return try library.contents().photos.contains { photo in
      try lacking.contains(photo.id) && library.holds(photo, whileReading: counter.checkCancellation)
    }
  }

  // MARK: Writing

  private func options() -> ExportOptions {
    var options = job.exportOptions
    options.password = password
    options.date = context.now()
    options.mayRest = { [readBack, password] paths in
      try readBack.areWhole(paths.map { try ArchiveRecord(path: $0, password: password) })
    }
    return options
  }

  private func plan() throws -> ExportSummary {
    let library = try Library(path: library)
    return try library.holdingPhotos(
      lockWait: .seconds(job.lockWait), whileWaiting: counter.waitForWriter
    ) { try job.plan(of: library, holding: library.contents(), password: password) }
  }

  /// Exports to the first destination that takes it.
  private mutating func export() throws -> (Int, [ArchiveRecord]) {
    var failure: (any Error)?
    for index in usable {
      do {
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
      BackupError.noSuchDestination, is FileError:
      true
    case BackupError.setCutShort(_, _, let error): concernsDestination(error)
    default: false
    }
  }

  /// Copies archives to another destination, and what they rest on, where that is not there: what they rest on first.
  private mutating func copy(_ archives: [ArchiveRecord], from source: Int, to index: Int) throws {
    var needed = archives
    do {
      // nobody prunes what is there and is rested on, until it is
      let lock = try FolderLock(
        job.destinations[index].path, exclusive: false, waiting: .seconds(job.lockWait),
        whileWaiting: counter.waitForWriter)
      defer { withExtendedLifetime(lock) {} }
      let there = try catalog(at: index).archives.filter { !readBack.isDamaged($0) }
      let origin = try catalog(at: source)
      needed = try archives.flatMap { try origin.chain(of: $0) }.reversed() + archives
      for archive in needed {
        // what an earlier run copied before it was cut off
        let known = there.first { $0.uuid == archive.uuid && $0.digest == archive.digest }
        let path = try known?.path ?? copy(archive, to: index)
        if archives.contains(archive) { records[index].archives.append(path) }
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      records[index].failure = "\(error)"
      records[index].archives = []
      guard Self.concernsSource(error) else { return }
      // it may be that there was nothing whole to copy: what is damaged counts for nothing, and the next run writes
      // another
      context.cache?.doubt(needed.map { FilePath($0.path) })
      _ = try readBack.areWhole(needed)
    }
  }

  /// Whether a copy may have failed for what was to be copied.
  private static func concernsSource(_ error: any Error) -> Bool {
    switch error {
    case BackupError.notEnoughSpace, BackupError.destinationExists: false
    case is BackupError, is ArchiveError: true
    default: false
    }
  }

  /// - Returns: where the copy lies.
  private mutating func copy(_ archive: ArchiveRecord, to index: Int) throws -> String {
    var copy = ArchiveCopy(
      of: FilePath(archive.path), to: job.destinations[index].path, password: password, counter: counter)
    copy.permissions = job.permissions
    let (path, warning) = try copy.run()
    if let warning { warnings.append(warning) }
    let record = try ArchiveRecord(path: path, password: password)
    verified.insert(record.path)
    records[index].isNew = true
    return record.path
  }

  // MARK: Afterwards

  private mutating func prune(_ index: Int) throws {
    guard let retention = job.retention else { return }
    guard missing.isEmpty else {
      let warning =
        "nothing was pruned: an older archive may hold the photos that this one has not as they should be"
      if !warnings.contains(warning) { warnings.append(warning) }
      return
    }
    do {
      var prune = PruneRun(folder: job.destinations[index].path, policy: retention, counter: counter)
      prune.password = password
      prune.tags = [job.name]
      prune.cache = context.cache
      prune.now = context.now()
      prune.verified = verified
      prune.fresh = Set(records[index].archives)
      let done = try prune.run()
      records[index].removed = done.removed.map(\.path)
      notPruned += done.plan.refusals + done.failures.map(\.message)
      warnings += done.unreadable.map { "\($0.path) may be a backup and cannot be read: \($0.reason)" }
    } catch let error as CancellationError {
      throw error
    } catch {
      notPruned.append("\(job.destinations[index].path) could not be pruned: \(error)")
    }
  }

  /// Remembers what lies at a destination now.
  private mutating func noteCopy(at index: Int) {
    let folder = job.destinations[index].path
    guard let catalog = try? catalog(at: index) else { return }
    let fresh = catalog.archives.map(\.path).filter(verified.contains)
    if !fresh.isEmpty { context.cache?.noteVerified(fresh, at: context.now().milliseconds) }
    let now = context.now()
    for own in catalog.archives(of: job).reversed() where !own.isAhead(of: now) {
      guard let members = try? catalog.members(of: own),
        !members.contains(where: { readBack.isDamaged($0) || context.cache?.isDoubted($0) == true })
      else { continue }
      copies.append(
        JobStatus.Copy(
          path: folder.string, archive: own.path, others: members.dropFirst().map(\.path), madeAt: own.date,
          verifiedAt: members.map { context.cache?.verifiedAt($0) ?? .min }.min().flatMap {
            $0 == .min ? nil : $0
          },
          isOnSameDevice: job.destinations[index].sharesDevice(with: library)))
      return
    }
  }

  /// Photos that the newest archive has not, or not as they should be.
  private var missing: [String] {
    let now = summary.missing + summary.damaged
    let named = Set(now.map(\.item))
    return now.map(\.message) + lacking.filter { !named.contains($0.photo) }.map(\.finding.message)
  }

  /// Says in a run's record what was done.
  func fill(_ run: inout JobStatus.RunRecord) {
    run.destinations = records
    run.archives = records.first { !$0.archives.isEmpty }?.archives ?? []
    run.photos = summary.photos
    run.bytes = summary.bytes
    run.archiveBytes = summary.archiveBytes
    run.missing = missing
    run.warnings += warnings + notPruned + readBack.warnings
    let failures = records.compactMap(\.failure)
    if !run.missing.isEmpty || !failures.isEmpty || !notPruned.isEmpty {
      run.outcome = .incomplete
      run.exitCode = JobStatus.incompleteCode
      run.message =
        failures.isEmpty ? run.missing.first ?? notPruned.first : failures.joined(separator: "; ")
    } else {
      run.outcome = records.contains { $0.isNew } ? .done : .unchanged
      run.exitCode = 0
    }
  }
}
