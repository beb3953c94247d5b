import FileSystem
import Operations
import PhotoLibrary
import SystemPackage
import Zip

/// Why a new archive is made from others. The raw value completes the name of the new archive.
enum RewriteKind: String {
  /// The archive is damaged. The new one has the photos of this archive, and of other sources.
  case repair = "repaired"
  /// The archive is incremental. The new one has the photos of the chain.
  case flatten = "full"
}

/// One run of `repair` or `flatten`.
struct RewriteRun {
  let kind: RewriteKind
  let path: FilePath
  let options: RewriteOptions
  let counter: ProgressCounter

  func run() throws -> RewriteSummary {
    let library = try options.library.map { try Library(path: $0) }
    guard let library else { return try run(library: nil) }
    return try library.withPhotoReadLock(
      lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock
    ) {
      try run(library: library)
    }
  }

  private func run(library: Library?) throws -> RewriteSummary {
    let source = try kind == .repair ? openDamaged() : openChain()
    var summary = RewriteSummary()
    summary.chain = [path] + (source.chain?.bases.map(\.path) ?? [])
    (summary.photos, summary.bytes) = (source.photoFiles, source.photoBytes)
    if kind == .flatten, source.chain == nil { return summary }
    let others = try OtherArchives(
      options.others, limits: options.limits, password: options.password, counter)
    summary.unusable = others.unusable
    let outputPath = try outputPath(outside: library?.path)
    let (count, bytes) = setTotals(of: source)
    counter.enter(.verifying)
    let plan = try RewritePlan(source, for: kind, counter) { wanted in
      try PhotoSources(wanted, from: others.sources, library, counter)
    }
    counter.report(plan.unrecoverable + plan.contradicted)
    summary.damagedArchives = others.damaged(plan.damagedArchives)
    summary.warnings = others.warnings + source.warnings
    if kind == .flatten { summary.warnings += source.skipped.map(\.message) }
    summary.warnings += source.corruptBeforeBackup.map(\.message)
    if plan.isIntact { return summary }
    counter.setTotals(
      items: count + plan.items.count * 2, bytes: bytes.saturated(plus: plan.bytes.saturated(times: 2)))
    if kind == .repair {
      summary.warnings += source.unknownEntries.map {
        "\($0.escaped) is an unknown entry and was not copied"
      }
    }
    summary.faults = source.salvage.map { [$0.fault] } ?? []
    (summary.restored, summary.unrecoverable) = (plan.restored, plan.unrecoverable)
    summary.contradicted = plan.contradicted
    (summary.photos, summary.bytes) = (plan.items.count, plan.bytes)
    // without categories and photos, a new archive would be useless
    if kind == .repair, plan.items.isEmpty, source.metadata.categories.isEmpty { return summary }
    let published = try publish(plan, at: outputPath)
    summary.archive = published.archive
    summary.archiveBytes = published.bytes
    if let warning = published.warning { summary.warnings.append(warning) }
    return summary
  }

  /// Sets the totals of the progress: each file that is read is also written and verified.
  ///
  /// - Returns: the number and the bytes of the files.
  private func setTotals(of source: OpenedBackup) -> (count: Int, bytes: Int) {
    let entries = source.archive?.entries ?? []
    let (count, bytes) =
      kind == .repair
      ? (entries.count, entries.saturatedSum(\.size)) : (source.photoFiles, source.photoBytes)
    // at most the missing photos come from other sources; their sizes are those of their rows
    let missing =
      kind == .repair ? source.photos.filter { $0.location.unavailable?.isDamage == true } : []
    let missingBytes = missing.saturatedSum { Int($0.record.fileSize.clamped(to: 0...1 << 30)) }
    counter.setTotals(
      items: count * 3 + missing.count * 2,
      bytes: bytes.saturated(times: 3).saturated(plus: missingBytes.saturated(times: 2)))
    return (count, bytes)
  }

  /// Returns the path of the new archive: the requested one, or beside the old archive the first free name of
  /// `NAME.repaired.zip` and `NAME.repaired-2.zip` to `-100`, or of `NAME.full.zip`.
  private func outputPath(outside library: FilePath?) throws -> OutputPath {
    if let destination = options.destination {
      let chosen = try ArchiveOutputPath(destination, outside: library)
      return .init(
        folder: chosen.folder, shown: chosen.folder, names: try chosen.name.map { [$0] } ?? defaultNames())
    }
    if let library, path.folder.leads(into: library) {
      throw BackupError.destinationInLibrary(path.folder)
    }
    return .init(folder: path.folder, shown: path.removingLastComponent(), names: try defaultNames())
  }

  /// Returns the names that are short enough for a file. The old archive's own name may already have the greatest
  /// length.
  private func defaultNames() throws -> [FilePath] {
    let stem = "\(path.stem ?? "backup").\(kind.rawValue)"
    let names = ["\(stem).zip"].map { FilePath($0) } + (2...100).map { FilePath("\(stem)-\($0).zip") }
    let fitting = names.filter { $0.length <= FileName.maximumBytes }
    if fitting.isEmpty { throw BackupError.nameTooLong(names[0]) }
    return fitting
  }

  // MARK: Opening

  /// Opens the archive. Refuses an encrypted one, because the new archive would not be encrypted.
  private func openDamaged() throws -> OpenedBackup {
    do {
      let source = try BackupOpener(counter: counter, limits: options.limits, salvages: true).open(path)
      // in a damaged archive, bytes that look like an encrypted entry may not be an entry
      let isEncrypted =
        source.salvage == nil
        ? source.archive?.entries.contains(where: \.isEncrypted) == true
        : source.photos.contains { $0.location.isEncrypted }
      if !isEncrypted { return source }
    } catch BackupError.passwordNeeded {
      // throws below
    }
    throw BackupError.cannotRepairEncrypted(path)
  }

  /// Opens the archive with its chain.
  private func openChain() throws -> OpenedBackup {
    let source = try BackupOpener(
      counter: counter, limits: options.limits, password: options.password, ledger: options.ledger,
      reads: .allEntries, followsChains: true
    ).open(path)
    if let missing = source.missingBase {
      // the missing archive may be one that the disk cannot read
      throw source.chain?.unreadable.first
        ?? BackupError.baseMissing(source.chain?.bases.last?.path ?? path, uuid: missing)
    }
    return source
  }
}
