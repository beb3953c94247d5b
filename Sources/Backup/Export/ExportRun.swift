import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

extension ExportSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(photos: photos, categories: categories, bytes: bytes), findings: findings,
      isIncomplete: isIncomplete, archives: archives,
      photos: PhotoFindings(damaged: missing + corruptInLibrary))
  }
}

extension Work where Summary == ExportSummary {
  /// Starts writing a backup of a library.
  ///
  /// The archive is published atomically when it is complete and durable, and never replaces a file. Until then a
  /// failure, a cancellation or a kill leaves nothing. Photos are read from a snapshot of the library, each once. The
  /// summary reports photos that cannot be read; the archive has their rows. Several archives are published when all
  /// are complete.
  ///
  /// - Parameter destination: an existing folder, for `smilepile_backup_YYYYMMDD_HHMMSS.zip` in it, or the path of a
  ///   file that does not exist.
  ///
  /// The summary throws `BackupError`, `LibraryError`, `FileLock.Busy` or `FileError`; with `requiresPictures`, also
  /// `HelperError`, `CacheNotWritable` or `OwnershipError` if thumbnails or a gallery cannot be drawn or kept.
  public static func export(
    _ library: FilePath, to destination: FilePath, options: ExportOptions = ExportOptions()
  ) -> Self {
    let operation = RecordedOperation(.export, ofLibrary: library, isDryRun: options.isDryRun)
    return Work(operation, by: options.ledger) { counter in
      try ExportRun(libraryPath: library, destination: destination, options: options, counter: counter).run()
    }
  }
}

/// One run of `export`, for callers with a thread and a counter of their own, such as a job.
public struct ExportRun {
  let libraryPath: FilePath
  let destination: FilePath
  var options: ExportOptions
  let counter: ProgressCounter
  /// Records the archives that the export verifies.
  private let observer: ArchiveObserver

  /// Prepares a run; parameters as for `Work.export`. Blocks while it reads the ledger.
  public init(
    libraryPath: FilePath, destination: FilePath, options: ExportOptions, counter: ProgressCounter
  ) {
    (self.libraryPath, self.destination, self.options) = (libraryPath, destination, options)
    self.counter = counter
    observer = options.observer ?? (options.ledger ?? Ledger()).observer(named: "export")
  }

  /// Exports. Blocks until it is done; throws what the summary of `Work.export` throws.
  public func run() throws -> ExportSummary {
    try checkOptions()
    let library = try Library(path: libraryPath)
    // no photo is deleted until it is drawn and written
    return try library.withPhotoReadLock(
      lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock
    ) {
      let outputPath = try ArchiveOutputPath(destination, outside: libraryPath)
      while true {
        let pictures: ExportPictures?
        do {
          // a dry run draws nothing
          pictures =
            options.hasPictures && !options.isDryRun
            ? try ExportPictures(of: library, options, counter) : nil
        } catch let error where !options.requiresPictures && !(error is CancellationError) {
          return try withoutPictures(error)
        }
        if let summary = try run(library, outputPath, pictures) { return summary }
      }
    }
  }

  /// Exports without thumbnails and gallery, for the reason of an error.
  private func withoutPictures(_ error: any Error) throws -> ExportSummary {
    var run = self
    (run.options.includesThumbnails, run.options.gallery) = (false, nil)
    var summary = try run.run()
    summary.warnings.append("the archive has no thumbnails and no gallery: \(error)")
    return summary
  }

  /// Returns nil, and writes nothing, if photos were added since the pictures were drawn.
  private func run(
    _ library: Library, _ outputPath: ArchiveOutputPath, _ pictures: ExportPictures?
  ) throws -> ExportSummary? {
    // keeps the base from being pruned until the archive that depends on it is published
    let lock =
      try options.isIncremental && !options.isDryRun
      ? FolderLock(
        outputPath.folder, exclusive: false, waiting: options.lockWait,
        whileWaiting: counter.reportWaitingForLock)
      : nil
    defer { withExtendedLifetime(lock) {} }
    // chooses the base first, and frees its rows before the library's rows are read
    let selectionDigest = try digest(ofSelection: library.categories())
    let baseChoice =
      try options.isIncremental
      ? BaseChoice(in: outputPath.folder, for: selectionDigest, of: library, options, observer, counter) : nil
    let date = options.date ?? Date()
    let (contents, changes) = try library.contentsAndChanges()
    if let pictures, !pictures.include(contents.photos) { return nil }
    var history = try library.exportHistory(at: Timestamp(date))
    history.changes = changes
    let isSelectionUnchanged = try digest(ofSelection: contents.categories) == selectionDigest
    let (thumbnails, views) =
      try options.hasPictures && pictures == nil
      ? ExportPictures.forecast(of: library, contents, options)
      : pictures?.sizes ?? ([:], [:])
    let plan = try ExportPlan(
      contents, of: library.libraryID(), history: history, options,
      base: isSelectionUnchanged ? baseChoice?.base : nil, thumbnails: thumbnails, views: views,
      files: library.files(of:))
    counter.setTotals(items: plan.items.count * options.passes, bytes: plan.bytes * options.passes)
    counter.report(plan.missingFindings)
    // before anything is published: reading takes long and can be cancelled
    let corrupt = try library.corruptPhotos(
      among: plan.increment?.photosToRecheck ?? [], isInBase: true, of: plan, counter)
    counter.report(corrupt)
    let (written, result) = try writeArchives(plan, pictures, library, outputPath, date)
    var summary = result
    if options.verifiesArchives { observer.recordVerified(summary.archives) }
    if let baseChoice {
      summary.reasonForFullArchive =
        isSelectionUnchanged ? baseChoice.reason : "the categories changed during the export"
      summary.rejectedBases = baseChoice.rejected
      // the operation that the export belongs to reports these archives itself
      if options.observer == nil { summary.warnings += observer.damageWarnings }
    }
    summary.corruptInLibrary += corrupt
    summary.warnings += [options.gallery?.warning].compactMap(\.self) + (pictures?.warnings ?? [])
    if options.reportsPhotos {
      summary.photoReports = written.reports(
        of: libraryPath, options.format, corrupt: summary.corruptInLibrary)
    }
    return summary
  }

  /// Writes the archives of a plan, or finds out what they would be.
  private func writeArchives(
    _ plan: ExportPlan, _ pictures: ExportPictures?, _ library: Library, _ outputPath: ArchiveOutputPath,
    _ date: Date
  ) throws -> (plan: ExportPlan, summary: ExportSummary) {
    if options.isDryRun { return (plan, try dryRun(plan, outputPath)) }
    let export = ArchiveExport(
      library: library, pictures: pictures, outputPath: outputPath, date: date, options: options,
      counter: counter)
    return switch options.format {
    case .zip: try export.run(plan)
    case .json: (plan, try export.writeDocument(plan, to: destination))
    }
  }

  private func digest(ofSelection categories: [PhotoLibrary.Category]) throws -> String? {
    ExportPlan.selectionDigest(try categories.selected(by: options), options)
  }

  private func checkOptions() throws {
    if let password = options.password {
      guard options.format == .zip else { throw BackupError.cannotEncrypt(destination) }
      if let fault = PasswordError.find(in: password, allowsWeak: options.allowsWeakPassword) {
        throw BackupError.unfitPassword(fault)
      }
    }
    if options.isIncremental, options.format == .json {
      throw BackupError.cannotIncrement(destination, reason: "a JSON backup has no photo files")
    }
    guard options.phoneLimits != nil else { return }
    let reason: String? =
      if options.password != nil {
        "phones cannot read encrypted archives"
      } else if options.format == .json {
        "a JSON backup is one document"
      } else if options.isIncremental {
        "each part must contain all its photos"
      } else {
        nil
      }
    if let reason { throw BackupError.cannotSplit(destination, reason: reason) }
  }

  private func dryRun(_ plan: ExportPlan, _ outputPath: ArchiveOutputPath) throws -> ExportSummary {
    var summary = ExportSummary(plan, ContentFingerprint(of: plan))
    summary.isDryRun = true
    try outputPath.requireSpace(bytes: options.format == .zip ? plan.bytes : 0, photos: plan.photos.count)
    guard options.format == .zip else { return summary }
    // an incremental export reads these photos
    let photosToRecheck = Set(plan.increment?.photosToRecheck.map(\.id) ?? [])
    for item in plan.items where item.size != item.photo.fileSize && !photosToRecheck.contains(item.photo.id)
    {
      summary.corruptInLibrary.append(
        Finding(
          plan.label(item.photo),
          "its file differs from its row in the library (\(Count(item.size, "byte")), recorded \(item.photo.fileSize))",
          remedy: .repairLibrary))
    }
    counter.report(summary.corruptInLibrary)
    guard let limits = options.phoneLimits else {
      summary.phoneRefusals += plan.phoneRefusals(PhoneLimits(), archiveBytes: plan.bytes)
      return summary
    }
    let split = SplitPlan(plan, limits, set: UUID())
    summary.parts = split.parts.count
    summary.phoneRefusals += split.refusals
    return summary
  }
}

extension ExportOptions {
  /// True if the archive has pictures of its photos.
  var hasPictures: Bool { format == .zip && (includesThumbnails || gallery != nil) }

  /// True if the export verifies the archives that it writes.
  var verifiesArchives: Bool { verifies && !isDryRun && format == .zip }

  /// How often the export reads or writes each photo: with `verifies`, it reads the archive.
  var passes: Int { verifies ? 2 : 1 }
}
