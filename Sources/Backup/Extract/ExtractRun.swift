import ArchiveCatalog
import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage
import Zip

extension ExtractSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult {
    OperationResult(
      OperationResult.Counts(photos: filesWritten, bytes: bytesWritten, skipped: filesKept),
      findings: findings, isIncomplete: isIncomplete)
  }
}

extension Work where Summary == ExtractSummary {
  /// Starts extracting photos of an archive as plain files: a folder for each category, and in it each photo under
  /// the original name of its file, with the date when it was taken.
  ///
  /// Photos are published atomically when they are complete and durable, so that a crash leaves no truncated photo.
  /// A second run keeps the existing photos, which it recognizes by their MD5, and extracts the rest. A corrupt
  /// photo leaves no file; the summary reports it.
  ///
  /// All photos of a `PhotoExport`, which has no categories, go into one folder, “Photos”.
  ///
  /// The summary throws `ExtractError`, `BackupError`, `ArchiveError` or `FileError`. After a cancellation or on a
  /// full disk, all published photos are intact.
  public static func extract(
    _ archive: FilePath, to folder: FilePath, options: ExtractOptions = ExtractOptions()
  ) -> Self {
    let recorded = RecordedOperation(
      .extract, archives: [archive], folder: folder, isDryRun: options.isDryRun)
    return Work(recorded, by: options.ledger) { counter in
      let observer = (options.ledger ?? Ledger()).observer(named: "extract")
      let run = ExtractRun(
        archive: archive, folder: folder, options: options, counter: counter, observer: observer)
      let summary = try run.run()
      observer.recordDamage(summary.damagedArchives)
      return summary
    }
  }
}

/// One run of `extract`: makes the plan, compares existing files, writes the rest.
private struct ExtractRun {
  let archive: FilePath
  let folder: FilePath
  let options: ExtractOptions
  let counter: ProgressCounter
  let observer: ArchiveObserver

  func run() throws -> ExtractSummary {
    var source = try BackupOpener(
      counter: counter, limits: options.limits, password: options.password, ledger: options.ledger,
      observer: observer, photoExports: .opened, followsChains: true
    ).open(archive)
    guard source.format == .zip, let zip = source.archive else {
      throw ExtractError.noPhotoFiles(archive)
    }
    var plan = try ExtractPlan(source, options.selection)
    if plan.items.contains(where: { source.photos[$0.source].location.isEncrypted }) {
      try source.requirePassword(toRead: .photos)
    }
    counter.setTotals(items: plan.items.count, bytes: plan.bytes)
    if plan.items.contains(where: { $0.md5 == nil }), options.overwrite != .always {
      // existing files can be compared only with known checksums
      source = try source.completingChecksums(counter)
      plan = try ExtractPlan(source, options.selection)
    }
    let target = try ExtractTarget.open(folder, forWriting: !options.isDryRun)
    target?.sweep()
    counter.enter(.verifying)
    let readers = Readers(options.readers, on: zip.status.identity)
    let look = try ExtractLook(
      plan, in: target, compares: options.overwrite != .always, readers, counter)

    var summary = ExtractSummary()
    summary.files = plan.items.count
    summary.bytes = plan.bytes
    summary.assets = plan.assets
    summary.errors = source.skipped + plan.faults
    summary.warnings = source.warnings
    summary.isDryRun = options.isDryRun
    counter.report(summary.errors)
    var notWritten: [Int: String] = [:]
    let items = choose(plan, look, source, &summary, &notWritten)
    // if the folder does not exist yet, the free space of its parent
    let fileSystem = try target?.root.fileSystem() ?? Directory.open(folder.folder).fileSystem()
    try fileSystem.requireSpace(neededSpace(for: items, plan, look), margin: 0) {
      BackupError.notEnoughSpace(folder, needed: $0, free: $1)
    }
    var written = items
    if let target, !options.isDryRun {
      counter.enter(.restoring)
      let writing = ExtractWriting(source, plan, to: target, counter) { [counter, plan, source] damaged in
        counter.report(Self.finding(of: damaged, plan, source))
      }
      let outcome = try writing.write(items, readers)
      note(outcome, plan, source, &summary, &notWritten)
      let published = Set(outcome.written)
      written.removeAll { !published.contains($0.index) }
    }
    if options.reportsPhotos {
      let replaced = Set(written.filter(\.replaces).map(\.index))
      summary.photoReports = plan.reports(of: source, notWritten: notWritten, look, replaced: replaced)
    }
    summary.filesWritten = written.count
    summary.bytesWritten = written.saturatedSum { plan.items[$0.index].size }
    summary.filesReplaced = written.count(where: \.replaces)
    return summary
  }

  /// Returns the items to write, and whether each replaces a file. Counts or reports the items that remain as they
  /// are.
  private func choose(
    _ plan: ExtractPlan, _ look: ExtractLook, _ source: OpenedBackup, _ summary: inout ExtractSummary,
    _ notWritten: inout [Int: String]
  ) -> [(index: Int, replaces: Bool)] {
    var items: [(index: Int, replaces: Bool)] = []
    func refuse(_ index: Int, _ finding: Finding, _ reason: String) {
      counter.report(finding)
      summary.errors.append(finding)
      notWritten[index] = reason
      counter.advance(items: 1, bytes: plan.items[index].size)
    }
    for (index, item) in plan.items.enumerated() {
      switch look.found[index] {
      case .nothing:
        items.append((index, false))
      case .same:
        summary.filesKept += 1
        summary.bytesKept += item.size
      case .other where options.overwrite != .never:
        items.append((index, true))
      case .other:
        let reason = reason(item, plan, "exists with other content, and was not changed")
        var finding = Finding(source.label(of: source.photos[item.source]), reason)
        finding.remedy = .overwriteChanged
        refuse(index, finding, reason)
      case .noFile(let kind):
        let what =
          kind == .symbolicLink ? "a symbolic link" : kind == .directory ? "a folder" : "not a regular file"
        let reason = reason(item, plan, "is \(what), and was not changed")
        refuse(index, Finding(source.label(of: source.photos[item.source]), reason), reason)
      }
    }
    return items
  }

  /// Returns why a photo whose file name is taken was left out.
  private func reason(_ item: ExtractPlan.Item, _ plan: ExtractPlan, _ fault: String) -> String {
    "\(folder.appending(plan.path(of: item).components).string.escaped) \(fault)"
  }

  private static func finding(
    of note: ExtractWriting.Note, _ plan: ExtractPlan, _ source: OpenedBackup
  ) -> Finding {
    Finding(source.label(of: source.photos[plan.items[note.index].source]), note.reason)
  }

  private func note(
    _ outcome: ExtractWriting.Outcome, _ plan: ExtractPlan, _ source: OpenedBackup,
    _ summary: inout ExtractSummary, _ notWritten: inout [Int: String]
  ) {
    for damaged in outcome.damaged {
      summary.errors.append(Self.finding(of: damaged, plan, source))
      summary.damagedArchives[source.archive(of: source.photos[plan.items[damaged.index].source])] =
        damaged.reason
      notWritten[damaged.index] = damaged.reason
    }
    summary.warnings += outcome.undated.map { Self.finding(of: $0, plan, source).message }
    for index in outcome.taken {
      let item = plan.items[index]
      let reason = reason(item, plan, "was created by another process, and was not changed")
      summary.errors.append(Finding(source.label(of: source.photos[item.source]), reason))
      notWritten[index] = reason
    }
  }

  /// Returns the bytes that the file system must have free before anything is written. A replaced file is removed when its
  /// replacement is durable: the disk stores both for all files that are flushed together.
  private func neededSpace(
    for items: [(index: Int, replaces: Bool)], _ plan: ExtractPlan, _ look: ExtractLook
  ) -> Int {
    var needed = 0
    var replaced = 0
    for (index, _) in items {
      // the overhead of a file and its name in usual file systems
      needed = needed.saturated(plus: plan.items[index].size).saturated(plus: 4096)
      guard case .other(let size) = look.found[index] else { continue }
      let freed = min(size, plan.items[index].size)
      needed -= freed
      replaced += freed
    }
    let largest = items.map { plan.items[$0.index].size }.max() ?? 0
    return needed.saturated(plus: min(replaced, ExtractPublication.mostBytes.saturated(plus: largest)))
  }
}
