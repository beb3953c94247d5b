import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

extension Work where Summary == ExportSummary {
  /// Starts writing a backup of a library.
  ///
  /// The archive is written out of sight, flushed, and gets its name when it is whole; no file is ever
  /// overwritten. Until then a failure, a cancellation or a kill leaves nothing. Photos are read from a
  /// snapshot of the library, each once; one that cannot be read is left out and named in the summary.
  /// Of several archives the first gets its name when all are whole.
  ///
  /// - Parameter destination: an existing folder, for `smilepile_backup_YYYYMMDD_HHMMSS.zip` in it, or a file
  ///   name that is not taken.
  ///
  /// The summary throws `BackupError`, `LibraryError`, `FileLock.Busy` or `FileError`.
  public static func export(
    _ library: FilePath, to destination: FilePath, options: ExportOptions = ExportOptions()
  ) -> Self {
    Work { counter in
      try ExportRun(libraryPath: library, destination: destination, options: options, counter: counter).run()
    }
  }
}

/// One run of `export`, for whoever has a thread and a counter of its own, as a job that does more than this.
public struct ExportRun {
  let libraryPath: FilePath
  let destination: FilePath
  let options: ExportOptions
  let counter: ProgressCounter

  /// Prepares a run; parameters as for `Work.export`.
  public init(
    libraryPath: FilePath, destination: FilePath, options: ExportOptions, counter: ProgressCounter
  ) {
    self.libraryPath = libraryPath
    self.destination = destination
    self.options = options
    self.counter = counter
  }

  /// Exports. Blocks until it is done; throws what the summary of `Work.export` throws.
  public func run() throws -> ExportSummary {
    try checkOptions()
    let library = try Library(path: libraryPath)
    return try library.withPhotoReadLock(
      lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock
    ) {
      let target = try Destination(destination, outside: libraryPath)
      // nobody prunes what this rests on until it has its name
      let lock =
        try options.isIncremental && !options.isDryRun
        ? FolderLock(
          target.folder, exclusive: false, waiting: options.lockWait,
          whileWaiting: counter.reportWaitingForLock)
        : nil
      defer { withExtendedLifetime(lock) {} }
      // before the library is read: not both have to be in memory
      let found = options.isIncremental ? try base(in: target, library) : nil
      let date = options.date ?? Date()
      var plan = try ExportPlan(library.contents(), options, files: library.files(of:))
      plan.library = try library.libraryID()
      let fullBecause = try found.flatMap { try rest(&plan, on: $0, library) }
      setTotals(plan)
      // before anything has its name, since it can take long, and may be stopped
      let damaged = try library.damaged(among: plan.suspects, of: plan, counter)
      var summary =
        switch options.format {
        case _ where options.isDryRun: try dryRun(plan, target)
        case .zip:
          try ArchiveExport(library: library, target: target, date: date, options: options, counter: counter)
            .run(plan)
        case .json: try exportDocument(plan, library, target, date)
        }
      summary.fullBecause = fullBecause
      summary.rejectedBases = found?.base.rejected ?? []
      summary.warnings += found?.base.warnings ?? []
      summary.damaged += damaged
      if options.verifies, !options.isDryRun, options.format == .zip {
        (options.observer ?? options.ledger?.observer("export"))?.recordVerified(summary.archives)
      }
      return summary
    }
  }

  private func checkOptions() throws {
    if let password = options.password {
      guard options.format == .zip else { throw BackupError.cannotEncrypt(destination) }
      if let fault = PasswordFault.find(in: password, allowsWeak: options.allowsWeakPassword) {
        throw BackupError.unfitPassword(fault)
      }
    }
    if options.isIncremental, options.format == .json {
      throw BackupError.cannotIncrement(destination, reason: "a JSON backup holds no photo files")
    }
    guard options.split != nil else { return }
    let reason: String? =
      if options.password != nil {
        "phones read no encrypted archive"
      } else if options.format == .json {
        "a JSON backup is one document"
      } else if options.isIncremental {
        "each part has to hold its photos itself"
      } else {
        nil
      }
    if let reason { throw BackupError.cannotSplit(destination, reason: reason) }
  }

  /// A base, and the selection that it has.
  private typealias SelectedBase = (base: BaseSelection, selection: String?)

  /// Finds what the archive is to rest on.
  private func base(in target: Destination, _ library: Library) throws -> SelectedBase {
    let selection = ExportPlan.selection(try library.categories().selected(by: options), options)
    return (try BaseSelection(in: target.folder, for: selection, of: library, options, counter), selection)
  }

  /// Rests a plan on what was found.
  ///
  /// - Returns: why it cannot, and the archive will be a full one although it should not.
  private func rest(_ plan: inout ExportPlan, on found: SelectedBase, _ library: Library) throws -> String? {
    guard let base = found.base.base else { return found.base.reason }
    guard plan.selection == found.selection else { return "the categories were changed meanwhile" }
    plan = plan.resting(on: base, deletions: try library.deletions(since: base.exportDate))
    return nil
  }

  private func setTotals(_ plan: ExportPlan) {
    let passes = options.passes
    counter.setTotals(items: plan.items.count * passes, bytes: plan.bytes * passes)
  }

  private func dryRun(_ plan: ExportPlan, _ target: Destination) throws -> ExportSummary {
    var summary = ExportSummary(of: plan)
    summary.isDryRun = true
    summary.state = plan.state().description
    try target.requireRoom(bytes: options.format == .zip ? plan.bytes : 0, photos: plan.photos.count)
    guard options.format == .zip else { return summary }
    // those that an increment names are among the suspects, and are read
    let suspects = Set(plan.suspects.map(\.id))
    for item in plan.items where item.size != item.photo.fileSize && !suspects.contains(item.photo.id) {
      summary.damaged.append(
        Finding(
          plan.label(item.photo),
          "its file has \(Count(item.size, "byte")), and had \(item.photo.fileSize) when it came into the library"
        ))
    }
    guard case .phone(let limits) = options.split else {
      summary.phoneRefusals += plan.phoneRefusals(PhoneLimits(), archiveBytes: plan.bytes)
      return summary
    }
    let split = SplitPlan(plan, limits, set: UUID())
    summary.parts = split.parts.count
    summary.phoneRefusals += split.refusals
    return summary
  }

  private func exportDocument(
    _ plan: ExportPlan, _ library: Library, _ target: Destination, _ date: Date
  ) throws -> ExportSummary {
    let output = try UnpublishedFile(in: target.folder)
    let uuid = UUID()
    let json = plan.jsonBackup(uuid: uuid, exportDate: date.milliseconds)
    try output.requireSpace(bytes: json.count, photos: 0, in: target.folder)
    counter.enter(.writing)
    try output.file.write(json, at: 0)
    var summary = ExportSummary(of: plan)
    summary.state = plan.state().description
    summary.archiveBytes = json.count
    if options.verifies { _ = try BackupSource(path: output.file.descriptorPath, limits: .own) }
    counter.advance(items: plan.items.count * options.passes, bytes: plan.bytes * options.passes)
    try counter.checkCancellation()
    counter.enter(.committing)
    if let permissions = options.permissions { try output.file.setPermissions(permissions) }
    let names = target.stems(at: date).lazy.map { target.name($0, fileExtension: "json") }
    guard let (name, durability) = try output.publish(as: names, sync: options.syncs) else {
      throw BackupError.destinationExists(destination)
    }
    let archive = target.folder.appending(name.components)
    summary.archives = [archive]
    if let warning = durability.warning(for: archive) { summary.warnings.append(warning) }
    let record = ExportRecord(
      id: uuid.uuidString, archive: archive.absoluteString, at: date.milliseconds, photos: summary.photos,
      archiveBytes: json.count, isPartial: true)
    library.note([record], &summary)
    return summary
  }
}

extension ExportOptions {
  /// How often every photo passes by: it is written, and with `verifies` read back.
  var passes: Int { verifies ? 2 : 1 }
}

extension ExportSummary {
  init(of plan: ExportPlan) {
    let lost = plan.lost
    photos = plan.photos.count - lost.count
    categories = plan.categories.count
    bytes = plan.bytes
    let nowhere = Set(lost.map(\.photo.id))
    missing = plan.missing.map {
      // the library is in need of those, too, that the base still holds
      Finding(
        plan.label($0.photo),
        nowhere.contains($0.photo.id) ? $0.reason : "\($0.reason); the base holds its file")
    }
    if plan.isEncrypted { phoneRefusals = ["it is encrypted"] }
    categoriesAndroidCannotFind = plan.categoriesAndroidCannotFind
    guard let base = plan.base else { return }
    increment = Increment(
      archive: base.path, base: base.uuid, length: base.length + 1, held: plan.held.count)
  }
}

extension Library {
  /// Remembers backups. That it cannot is worth knowing, and no failure of the backups.
  func note(_ exports: [ExportRecord], _ summary: inout ExportSummary) {
    do {
      for export in exports { try note(export) }
    } catch {
      summary.warnings.append("the library could not note the backup: \(error)")
    }
  }
}
