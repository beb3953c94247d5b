import Backup
import FileSystem
import Foundation
import Operations
import SystemPackage
import Zip

/// What a run does when the library lies in one destination: it sees to the others, and to what is older.
extension JobBackup {
  /// Copies archives to another destination, and what they rest on, where that is not there: what they rest on first.
  mutating func copy(_ archives: [ArchiveRecord], from source: Int, to index: Int) throws {
    var needed = archives
    let damaged = readBack.damaged
    do {
      try job.destinations[index].check()
      // nobody prunes what is there and is rested on, until it is
      let lock = try FolderLock(
        job.destinations[index].path, exclusive: false, waiting: .seconds(job.lockWait),
        whileWaiting: counter.waitForWriter)
      defer { withExtendedLifetime(lock) {} }
      let there = try catalog(at: index).archives.filter { !readBack.isDamaged($0) }
      let origin = try catalog(at: source)
      needed =
        try archives.flatMap { try origin.chain(of: $0, passingOver: readBack.damaged) }.reversed() + archives
      let named = Set(needed.compactMap(\.base?.digest))
      for archive in needed {
        // what an earlier run copied before it was cut off
        let known = try there.first { other in
          // what is rested on may lie there as it was before it was repaired, and as it is named
          let isOld =
            other.digest.map { archive.repairedFrom?.contains($0) == true && named.contains($0) } ?? false
          return try other.uuid == archive.uuid && (other.digest == archive.digest || isOld)
            && readBack.areWhole([other], counter)
        }
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
      context.cache?.doubt(needed.map { FilePath($0.path) }, password: password)
      do {
        _ = try readBack.areWhole(needed, counter)
        // of several that can be rested on another may be whole
        if readBack.damaged != damaged {
          let other = try archives.flatMap {
            try catalog(at: source).chain(of: $0, passingOver: readBack.damaged)
          }
          if !(archives + other).contains(where: readBack.isDamaged) {
            records[index].failure = nil
            try copy(archives, from: source, to: index)
          }
        }
      } catch let error where !(error is CancellationError) {
        // the next run does
        warnings.append("\(error)")
      }
    }
  }

  /// Whether a copy may have failed for what was to be copied.
  private static func concernsSource(_ error: any Error) -> Bool {
    switch error {
    case _ where ArchiveVerification.isObstacle(error): false
    case BackupError.notEnoughSpace, BackupError.destinationExists: false
    case is BackupError, is ArchiveError: true
    default: false
    }
  }

  /// - Returns: where the copy lies.
  mutating func copy(_ archive: ArchiveRecord, to index: Int) throws -> String {
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

  mutating func prune(_ index: Int) throws {
    // the archives of the job's own library may be older, and its status would go on naming them
    guard let retention = job.retention, !job.isOtherLibrary else { return }
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
      prune.lockWait = .seconds(job.lockWait)
      prune.now = context.now()
      prune.verified = verified
      prune.fresh = Set(records[index].archives)
      let done = try prune.run()
      records[index].removed = done.removed.map(\.path)
      for (path, fault) in done.damaged { readBack.noteDamaged(path, fault) }
      shortcomings += done.plan.refusals + done.failures.map(\.message)
      noteUnreadable(done.unreadable)
    } catch let error as CancellationError {
      throw error
    } catch {
      shortcomings.append("\(job.destinations[index].path) could not be pruned: \(error)")
    }
  }

  /// Takes back what the record says of a destination whose archives of this state were found damaged since.
  mutating func disownDamaged(at index: Int) {
    guard !readBack.damaged.isEmpty, let catalog = try? catalog(at: index) else { return }
    let left = catalog.archives.filter { records[index].archives.contains($0.path) }
    let members = left.flatMap { (try? catalog.members(of: $0, passingOver: readBack.damaged)) ?? [] }
    guard let damaged = members.first(where: readBack.isDamaged) else { return }
    records[index].failure = "\(damaged.path) is damaged; the next run writes another archive"
    records[index].archives = []
  }

  /// Remembers what lies at a destination now: the newest whole copy that lacks nothing, else the newest.
  mutating func noteCopy(at index: Int) {
    // after an interruption too
    let folder = job.destinations[index].path
    guard let catalog = try? Catalog(folder: folder, password: password, cache: context.cache) else { return }
    noteVerified(in: catalog)
    let now = context.now()
    var newest: JobStatus.Copy?
    for own in catalog.archives(of: job, in: libraryID).reversed() where !own.isAhead(of: now) {
      guard let copy = copy(own, in: catalog, at: index) else { continue }
      newest = newest ?? copy
      guard copy.lacking != nil else {
        newest = copy
        break
      }
    }
    if let newest { copies.append(newest) }
  }

  /// Notes of archives that this run has read them back.
  func noteVerified(in catalog: Catalog) {
    let fresh = catalog.archives.map(\.path).filter(verified.contains)
    if !fresh.isEmpty { context.cache?.noteVerified(fresh, at: context.now().milliseconds) }
  }

  /// What is to be remembered of an archive; nil if it cannot be restored.
  private func copy(_ archive: ArchiveRecord, in catalog: Catalog, at index: Int) -> JobStatus.Copy? {
    guard let members = try? catalog.members(of: archive, passingOver: readBack.damaged),
      !members.contains(where: {
        $0.isRemnant || readBack.isDamaged($0) || context.cache?.isDoubted($0) == true
      })
    else { return nil }
    return JobStatus.Copy(members, at: job.destinations[index], of: job, library, context.cache)
  }
}
