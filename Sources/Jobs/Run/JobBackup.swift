import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

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
  private var damagedBefore: [String] = []
  private(set) var copies: [JobStatus.Copy] = []

  init(_ job: Job, _ library: FilePath, _ context: JobContext, _ counter: ProgressCounter) {
    self.job = job
    self.library = library
    self.context = context
    self.counter = counter
    records = job.destinations.map { JobStatus.DestinationRecord(path: $0.path.string) }
  }

  mutating func run() throws {
    let usable = try usableDestinations()
    password = try job.password.map(context.password)
    summary = try plan(at: usable[0])
    try counter.checkCancellation()

    var current: [Int: [ArchiveRecord]] = [:]
    for index in usable where !context.isForced { current[index] = try archivesOfThisState(at: index) }
    let source: Int
    if let first = usable.first(where: { current[$0] != nil }) {
      source = first
      // nothing is written, and what is wrong with what is there is said every time
      damagedBefore = current[first, default: []].flatMap(\.damaged)
    } else {
      let (index, archives) = try export(to: usable)
      records[index].isNew = true
      current[index] = archives
      source = index
    }
    for index in usable {
      if let archives = current[index] {
        records[index].archives = archives.map(\.path)
      } else if records[index].failure == nil {
        try copy(current[source] ?? [], from: source, to: index)
      }
    }
    for index in usable where records[index].failure == nil { try prune(index) }
    for index in usable { noteCopy(at: index) }
  }

  // MARK: Destinations

  /// Those that can be written, by index. Of the others it is noted what is wrong with them.
  ///
  /// - Throws: what is wrong with the first, if there is none.
  private mutating func usableDestinations() throws -> [Int] {
    var usable: [Int] = []
    var first: (any Error)?
    for (index, destination) in job.destinations.enumerated() {
      do {
        try destination.check()
        usable.append(index)
        if destination.sharesDevice(with: library) {
          warnings.append(
            "\(destination.path) lies on the library's own device, and is no protection if that fails")
        }
      } catch {
        records[index].failure = "\(error)"
        first = first ?? error
      }
    }
    if usable.isEmpty, let first { throw first }
    return usable
  }

  private func catalog(at index: Int) throws -> Catalog {
    try Catalog(
      folder: job.destinations[index].path, password: password, cache: context.cache,
      whileReading: counter.checkCancellation)
  }

  /// The job's newest archives at a destination, if they hold the library as it is now and can be restored; nil
  /// otherwise.
  private mutating func archivesOfThisState(at index: Int) throws -> [ArchiveRecord]? {
    let catalog = try catalog(at: index)
    let own = catalog.archives.filter { $0.tags.contains(job.name) && !$0.isLocked }
    // one that was made under a clock that went ahead says nothing of today
    let now = context.now().milliseconds
    if let ahead = own.last, ahead.date > now {
      warnings.append("\(ahead.path) is dated in the future; is the clock right?")
    }
    guard let newest = own.last(where: { $0.date <= now }), newest.state == summary.state else { return nil }
    if let part = newest.part {
      let parts = own.filter { $0.part?.set == part.set }
      return Set(parts.compactMap(\.part?.number)).count == part.count ? parts : nil
    }
    return (try? catalog.chain(of: newest)) == nil ? nil : [newest]
  }

  // MARK: Writing

  private func options() -> ExportOptions {
    var options = job.exportOptions
    options.password = password
    options.date = context.now()
    return options
  }

  private func plan(at index: Int) throws -> ExportSummary {
    var options = options()
    options.isDryRun = true
    // what is to be backed up is the same either way
    options.isIncremental = false
    options.split = nil
    return try ExportRun(
      libraryPath: library, destination: job.destinations[index].path, options: options, counter: counter
    ).run()
  }

  /// Exports to the first destination that takes it.
  private mutating func export(to usable: [Int]) throws -> (Int, [ArchiveRecord]) {
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
    default: false
    }
  }

  /// Copies archives to another destination, and what they rest on, where that is not there: what they rest on first.
  private mutating func copy(_ archives: [ArchiveRecord], from source: Int, to index: Int) throws {
    do {
      let there = try catalog(at: index).archives
      let bases = try archives.flatMap { try catalog(at: source).chain(of: $0) }.reversed().filter { base in
        !there.contains { $0.uuid == base.uuid && $0.digest == base.digest }
      }
      for archive in bases + archives {
        var copy = ArchiveCopy(
          of: FilePath(archive.path), to: job.destinations[index].path, password: password, counter: counter)
        copy.permissions = job.permissions
        let (path, warning) = try copy.run()
        if let warning { warnings.append(warning) }
        let record = try ArchiveRecord(path: path, password: password)
        verified.insert(record.path)
        if archives.contains(archive) { records[index].archives.append(record.path) }
      }
      records[index].isNew = true
    } catch let error as CancellationError {
      throw error
    } catch {
      records[index].failure = "\(error)"
      records[index].archives = []
    }
  }

  // MARK: Afterwards

  private mutating func prune(_ index: Int) throws {
    guard let retention = job.retention else { return }
    do {
      var prune = PruneRun(folder: job.destinations[index].path, policy: retention, counter: counter)
      prune.password = password
      prune.tags = [job.name]
      prune.cache = context.cache
      prune.now = context.now()
      prune.verified = verified
      let done = try prune.run()
      records[index].removed = done.removed.map(\.path)
      warnings += done.plan.refusals + done.failures.map(\.message)
      warnings += done.unreadable.map { "\($0.path) may be a backup and cannot be read: \($0.reason)" }
    } catch let error as CancellationError {
      throw error
    } catch {
      warnings.append("\(job.destinations[index].path) could not be pruned: \(error)")
    }
  }

  /// Remembers what lies at a destination now.
  private mutating func noteCopy(at index: Int) {
    let folder = job.destinations[index].path
    let fresh = Array(verified.intersection(records[index].archives))
    guard let catalog = try? catalog(at: index) else { return }
    if !fresh.isEmpty { context.cache?.noteVerified(fresh, at: context.now().milliseconds) }
    let own = catalog.archives.last { $0.tags.contains(job.name) && !$0.isLocked }
    guard let own else { return }
    copies.append(
      JobStatus.Copy(
        path: folder.string, archive: own.path, madeAt: own.date, verifiedAt: context.cache?.verifiedAt(own),
        isOnSameDevice: job.destinations[index].sharesDevice(with: library)))
  }

  /// Says in a run's record what was done.
  func fill(_ run: inout JobStatus.RunRecord) {
    run.destinations = records
    run.archives = records.first { !$0.archives.isEmpty }?.archives ?? []
    run.photos = summary.photos
    run.bytes = summary.bytes
    run.archiveBytes = summary.archiveBytes
    run.missing = (summary.missing + summary.damaged).map(\.message) + damagedBefore
    run.warnings += warnings
    let failures = records.compactMap(\.failure)
    if !run.missing.isEmpty || !failures.isEmpty {
      run.outcome = .incomplete
      run.exitCode = JobStatus.incompleteCode
      run.message = failures.first ?? run.missing.first
    } else {
      run.outcome = records.contains { $0.isNew } ? .done : .unchanged
      run.exitCode = 0
    }
  }
}

extension Job {
  /// What its exports are, but for the password.
  var exportOptions: ExportOptions {
    var options = ExportOptions()
    options.categories = categories
    options.since = since
    options.until = until
    options.includesSettings = includesSettings
    options.allowsWeakPassword = allowsWeakPassword
    options.tags = archiveTags
    options.isIncremental = maximumChain != nil
    options.maximumChain = maximumChain ?? options.maximumChain
    options.split = splitsForPhones ? .phone(PhoneLimits()) : nil
    options.verifies = verifies
    options.permissions = permissions
    options.lockWait = .seconds(lockWait)
    return options
  }
}
