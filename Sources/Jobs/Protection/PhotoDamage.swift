import ArchiveCatalog
import FileSystem
import Operations

/// Photos of a library that were found corrupt or missing.
package struct PhotoDamage: Sendable, Equatable {
  /// When they were found, in milliseconds since 1970.
  package var foundAt: Int64
  /// The number of photos.
  package var photos: Int
  /// The photos with the reasons, as far as they are known.
  package var findings: [RecordedFinding]
  /// True if the last repair found no intact file for them in any archive of the jobs.
  package var isUnrepairable = false
}

extension PhotoDamage {
  /// What the last run of a job found; nil if every photo was intact.
  fileprivate init?(_ run: JobStatus.RunRecord) {
    guard !run.missing.isEmpty else { return nil }
    self.init(
      foundAt: run.startedAt, photos: run.missing.count,
      findings: run.missing.map(RecordedFinding.init(message:)))
  }

  /// What a restore test found when it compared the library with an archive; nil if every photo was intact.
  fileprivate init?(_ test: JobStatus.RestoreTestRecord, _ findings: [RecordedFinding]) {
    guard let damaged = test.damaged else { return nil }
    self.init(foundAt: test.at, photos: damaged, findings: findings)
  }

  /// What a repair left corrupt or missing; no photos if it left every photo intact; nil if that is unknown.
  init?(leftBy repair: LedgerRun) {
    guard let endedAt = repair.endedAt else { return nil }
    if repair.outcome == .done {
      self.init(foundAt: endedAt, photos: 0, findings: [])
      return
    }
    guard let record: OperationRecord = JobStatus.decoded(repair.record), let left = record.photosLeft else {
      return nil
    }
    self.init(
      foundAt: endedAt, photos: left.count, findings: Array(record.findings.prefix(left.count)),
      isUnrepairable: left.isSearchComplete)
  }

  /// Returns the damage without these photos.
  fileprivate func without(_ ids: Set<Int64>) -> PhotoDamage {
    var damage = self
    damage.findings.removeAll { $0.photoID.map(ids.contains) ?? false }
    damage.photos -= findings.count - damage.findings.count
    return damage
  }

  fileprivate var remedy: Remedy { isUnrepairable ? .replaceOrRemovePhotos : .repairLibrary }

  /// Returns true if a repair left all of these photos.
  fileprivate func isLeft(by repair: PhotoDamage) -> Bool {
    let ids = findings.map(\.photoID)
    return !ids.isEmpty && !ids.contains(nil) && Set(ids).isSubset(of: repair.findings.map(\.photoID))
  }
}

extension LibraryProtection {
  /// The photos that are known to be corrupt or missing: what the runs, the restore tests and the repairs found last.
  /// Nil if there are none. Verifying the library is not recorded.
  var damage: PhotoDamage? {
    let found = jobs.flatMap { job in
      [
        job.run.flatMap { PhotoDamage($0) },
        job.lastRestoreTest.flatMap { PhotoDamage($0, testFindings[job.job] ?? []) },
      ]
    }.compactMap { $0?.without(removedPhotos) }.filter { $0.photos > 0 }
    guard found.isEmpty else {
      let left = found.compactMap(left(of:))
      // what a repair has not tried hides no other damage
      return left.filter { !$0.isUnrepairable }.max { $0.foundAt < $1.foundAt } ?? left.first
    }
    // a photo that no archive has is not left after a complete run: it was replaced or removed
    guard let left = leftByRepair?.without(removedPhotos), left.photos > 0 else { return nil }
    let whole = jobs.filter { $0.copies.contains { $0.isSelection != true } }.compactMap(\.run)
    let isObsolete =
      left.isUnrepairable && whole.contains { $0.outcome.isComplete && $0.startedAt > left.foundAt }
    return isObsolete ? nil : left
  }

  /// Returns the photos that are corrupt or missing after the last repair; nil if it left every photo intact.
  private func left(of found: PhotoDamage) -> PhotoDamage? {
    guard let left = leftByRepair?.without(removedPhotos) else { return found }
    if found.foundAt > left.foundAt, !found.isLeft(by: left) { return found }
    return left.photos == 0 ? nil : left
  }

  /// Returns how the photos that a copy lacks get into one.
  func remedy(forPhotosMissingFrom copy: CountedCopy) -> Remedy {
    // the last run tells which photos they were
    let isKnown = jobs.contains { $0.job == copy.job && $0.run?.missing.isEmpty == false }
    let found = PhotoDamage(foundAt: copy.copy.madeAt, photos: copy.copy.missingPhotos ?? 0, findings: [])
    return (damage ?? (isKnown ? nil : left(of: found)))?.remedy ?? .runBackup(job: copy.job)
  }

  /// What to do about the photos that are known to be corrupt or missing; nil if there are none.
  package var damageAction: Finding? {
    guard let damage else { return nil }
    let first = damage.findings.first.map { ": \($0.text.prefix(ProtectionActions.mostCharacters))" } ?? ""
    return Finding(
      path.string,
      message:
        "\(Count(damage.photos, "photo of the library is", "photos of the library are").grouped) corrupt or missing"
        + (damage.isUnrepairable ? ", and no archive of the jobs has an intact file\(first)" : first),
      remedy: damage.remedy)
  }
}
