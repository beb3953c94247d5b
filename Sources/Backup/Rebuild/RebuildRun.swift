import ArchiveCatalog
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

extension RebuildSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(photos: photos, categories: categories, bytes: bytes),
      findings: findings + restored, isIncomplete: isIncomplete,
      photos: PhotoFindings(ofEveryPhoto: damaged))
  }
}

extension Work where Summary == RebuildSummary {
  /// Starts making a new database for a library whose database is missing or cannot be read: from its photo files, its
  /// newest archive, and those rows of the old database that can be read.
  ///
  /// Never deletes a file. The old database moves to the library's folder `.lost`, a corrupt photo file to `.rotten`. A
  /// missing file comes from an archive. Before the last step, which is one rename, an interruption leaves the library
  /// without a usable database, as before, and the rebuild can be repeated.
  ///
  /// The summary throws `RebuildError`, `BackupError`, `ArchiveError`, `LibraryError`, `AuthorizationError`,
  /// `FileLock.Busy` or `FileError`; the library then has no usable database, as before.
  public static func rebuild(
    _ library: FilePath, options: RebuildOptions = RebuildOptions()
  ) -> Self {
    let recorded = RecordedOperation(
      .rebuild, ofLibrary: library, archives: options.archives, isDryRun: options.isDryRun)
    return Work(recorded, by: options.ledger) { counter in
      let observer = (options.ledger ?? Ledger()).observer(named: "rebuild")
      let summary = try RebuildRun(path: library, options: options, observer: observer, counter: counter)
        .run()
      observer.recordDamage(summary.damagedArchives)
      return summary
    }
  }
}

/// One run of `rebuild`: reads the rows that are left, the newest archive and all files, plans, stages missing files, and
/// publishes the new database.
struct RebuildRun {
  let path: FilePath
  let options: RebuildOptions
  let observer: ArchiveObserver
  let counter: ProgressCounter

  func run() throws -> RebuildSummary {
    let library = try LostLibrary(
      path: path, isReadOnly: options.isDryRun, lockWait: options.lockWait,
      whileWaiting: counter.reportWaitingForLock)
    counter.enter(.planning)
    let salvaged = try library.salvagedRows()
    if !salvaged.knowsPIN { try confirmLossOfPIN(salvaged) }

    var (archives, scan) = try Workers.both {
      let archives = try RebuildArchives(of: path, id: salvaged.libraryID, options, observer, counter)
      if archives.newest.isEmpty, !options.acceptsNoArchive { throw RebuildError.noArchive(path) }
      return archives
    } _: { check in
      try library.scan(readers: options.readers, counter, check: check)
    }
    let now = Date()
    var plan = RebuildPlan(of: scan, salvaged, archives.newest, now: Timestamp(now))
    if let other = otherArchive(archives, plan, scan) {
      guard options.acceptsNoArchive else {
        let unreadable = scan.unreadable.min { $0.key.string < $1.key.string }
        throw unreadable.map { RebuildError.unreadableFile(other, file: $0.key, reason: $0.value) }
          ?? .otherLibrary(path, archive: other)
      }
      archives.leaveOut()
      plan = RebuildPlan(of: scan, salvaged, [], now: Timestamp(now))
    }

    var summary = RebuildSummary(archives, isDryRun: options.isDryRun)
    summary.isPINLost = !salvaged.knowsPIN
    if try library.hasDatabase() || !salvaged.isEmpty { summary.add(salvaged, of: path) }
    summary.untracked = scan.others.map(\.string)
    try addFoundPhotos(to: &plan, scan, library, &summary)
    let search = try MissingFileSearch(plan, archives, options, counter)
    summary.add(search, plan, scan)
    summary.count(plan, salvaged, withoutFiles: search.withoutFiles)
    let bytes = search.repairs.repairs.saturatedSum(\.size)
    try library.requireSpace(bytes, photos: plan.rows.count)
    guard !options.isDryRun else { return summary }

    let reconstruction = try LibraryReconstruction(of: library, salvaged)
    do {
      let staged = try search.stage(in: reconstruction, counter)
      try counter.checkCancellation()
      counter.enter(.committing)
      let result = try contents(
        plan, staged, archives, salvaged, reconstruction, withoutFiles: search.withoutFiles)
      let outcome = try reconstruction.commit(result.contents, result.files, now: now)
      summary.lostFiles = outcome.lostFiles.map { path.appending($0.components) }
      summary.corruptFiles = outcome.corruptFiles.map { path.appending($0.components) }
      return summary
    } catch {
      // what is left needs space only; the next rebuild removes it
      try? reconstruction.discard()
      throw error
    }
  }

  /// Asks for a confirmation if the library has or may have delete protection.
  private func confirmLossOfPIN(_ salvaged: SalvagedRows) throws {
    // the settings of an archive may be older than the protection
    guard salvaged.settings?.deleteProtectionEnabled ?? true, !options.isDryRun else { return }
    let operation = DestructiveOperation(
      "rebuild \(path) without its PIN, if it had one, since the PIN cannot be read", lowers: [.pin])
    guard try options.authorization.confirms(operation) else { throw AuthorizationError.notConfirmed(path) }
  }

  /// Returns the archive if it seems to be of another library.
  ///
  /// The ID of such an archive is not known to be that of this library, and the two have few files in common. The
  /// common files are those of the archive's photos, and corrupt ones in their places. They are less than half of the
  /// library's files, and less than half of the archive's photos. Families have some photos twice.
  private func otherArchive(
    _ archives: RebuildArchives, _ plan: RebuildPlan, _ scan: PhotoScan
  ) -> FilePath? {
    guard !archives.isIDKnown, let archive = archives.newest.first, archive.photoFiles > 0,
      !scan.files.isEmpty
    else { return nil }
    let common = plan.rows.count { row in
      switch row.state {
      case .found, .corrupt: row.isInArchive
      case .none, .unreadable, .missing: false
      }
    }
    let archived = archives.newest.saturatedSum(\.photoFiles)
    return common * 2 >= min(scan.files.count, archived) ? nil : archive.path
  }

  /// Adds a photo for each unknown file that is one, and reports all unknown files.
  private func addFoundPhotos(
    to plan: inout RebuildPlan, _ scan: PhotoScan, _ library: LostLibrary, _ summary: inout RebuildSummary
  ) throws {
    for index in plan.unknown {
      try counter.checkCancellation()
      let file = scan.files[index]
      // the file was read before, so that this concerns all files
      guard let header = try library.photoHeader(of: file.path) else {
        summary.untracked.append(file.path)
        continue
      }
      let name = FilePath(file.path).lastComponent
      let photo = Photo(
        id: 0, categoryId: 0, name: name?.stem ?? "photo", path: file.path,
        originalPath: name?.string ?? "photo",
        createdAt: header.taken.map(Timestamp.init) ?? file.modified, fileSize: file.content.size,
        width: header.width, height: header.height, md5: file.content.md5)
      plan.add(photo, file: index)
      summary.foundAgain.append(file.path)
    }
  }

  /// Returns the rows of the new database, and the files to move to their places.
  private func contents(
    _ plan: RebuildPlan, _ staged: [FileRepair], _ archives: RebuildArchives,
    _ salvaged: SalvagedRows, _ reconstruction: LibraryReconstruction, withoutFiles: Set<Int64>
  ) throws -> (contents: RebuiltContents, files: [FileRepair]) {
    var rows = plan.rows.filter { !withoutFiles.contains($0.photo.id) }
    let stagedFiles = Dictionary(uniqueKeysWithValues: staged.map { ($0.photo.id, $0) })
    try choosePaths(&rows, reconstruction)
    var files: [FileRepair] = []
    for row in rows {
      switch row.state {
      case .found, .none: continue
      case .corrupt, .unreadable, .missing:
        guard let file = stagedFiles[row.photo.id] else { continue }
        files.append(FileRepair(photo: row.photo, name: file.name, replacesFile: row.state.isDamaged))
      }
    }
    var contents = LibraryContents(
      categories: plan.categories, photos: rows.map(\.photo), settings: plan.settings)
    contents.movements = plan.movements
    var rebuilt = RebuiltContents(contents)
    rebuilt.libraryID = archives.libraryID
    rebuilt.photosNotInArchive = Set(rows.lazy.filter { !$0.isInArchive }.map(\.photo.id))
    rebuilt.archiveID = archives.newest.first?.metadata.smilepile?.uuid
    if salvaged.movements != nil { rebuilt.sorting = salvaged.sorting }
    rebuilt.dismissals = salvaged.dismissals
    var known = Set(archives.records.map(\.id))
    rebuilt.exports = (salvaged.exports.filter { known.insert($0.id).inserted } + archives.records)
      .sorted { $0.sequence < $1.sequence }
    return (rebuilt, files)
  }

  /// Chooses the paths of restored files whose places are unknown or taken.
  private func choosePaths(
    _ rows: inout [RebuildPlan.Row], _ reconstruction: LibraryReconstruction
  ) throws {
    var taken: Set<FilePath> = []
    var open: [Int] = []
    for index in rows.indices where rows[index].state == .missing {
      let path = rows[index].photo.path
      if try path.isEmpty || !taken.insert(FilePath(path)).inserted || !reconstruction.isFree(path) {
        open.append(index)
      }
    }
    let paths = try reconstruction.newPaths(
      for: open.map { rows[$0].photo },
      taken: rows.lazy.filter { !$0.photo.isFromAssets && !$0.photo.path.isEmpty }.map(\.photo.path))
    for (index, path) in zip(open, paths) { rows[index].photo.path = path }
  }
}

extension RebuildPlan.FileState {
  /// True if a file that is corrupt or cannot be read is in the place of the photo.
  var isDamaged: Bool {
    switch self {
    case .corrupt, .unreadable: true
    case .none, .found, .missing: false
    }
  }
}
