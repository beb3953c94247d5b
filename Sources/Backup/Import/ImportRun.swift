import Checksums
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import Zip

extension Work where Summary == ImportSummary {
  /// Starts importing backups into a library, one after the other. Each is all or nothing: it is extracted out
  /// of sight, checked, made durable, and one transaction makes its photos visible.
  ///
  /// All backups are opened and checked before the first one is imported. Photos that are damaged or absent are
  /// left out and named in the summary. A cancelled or failed import leaves the library as it was after the
  /// last whole backup.
  ///
  /// The summary throws `BackupError`, `ArchiveError`, `LibraryError`, `AuthorizationError`, `FileLock.Busy` or `FileError`.
  public static func `import`(
    _ backups: [FilePath], into library: FilePath, options: ImportOptions = ImportOptions()
  ) -> Self {
    Work { counter in
      try ImportRun(library: library, options: options, counter: counter).observed(backups)
    }
  }
}

/// One run of `import`: opens everything, then imports backup by backup.
public struct ImportRun {
  let library: FilePath
  let options: ImportOptions
  let counter: ProgressCounter

  /// Prepares a run, for whoever has a thread and a counter of its own.
  public init(library: FilePath, options: ImportOptions, counter: ProgressCounter) {
    self.library = library
    self.options = options
    self.counter = counter
  }

  /// Imports, and records which archives were found damaged.
  func observed(_ paths: [FilePath]) throws -> ImportSummary {
    let observer = options.ledger?.observer("import")
    do {
      let summary = try run(paths)
      observer?.recordDamage(summary.damagedArchives)
      return summary
    } catch BackupError.stopped(let path, let after, let done, let error) {
      observer?.recordDamage(done.damagedArchives)
      throw BackupError.stopped(at: path, after: after, done, error)
    }
  }

  /// Imports. Blocks until it is done; throws what the summary of `Work.import` throws.
  public func run(_ paths: [FilePath]) throws -> ImportSummary {
    if options.strategy == .replace, !options.isDryRun { return try replace(paths) }
    // a dry run opens nothing for writing, so it can look at a library that another process is changing
    let writer =
      options.isDryRun
      ? nil
      : try LibraryWriter(
        path: library, lockWait: options.lockWait, syncs: options.syncs,
        whileWaiting: counter.reportWaitingForLock)
    counter.enter(.planning)
    let reader = try writer?.library ?? Library(path: library)

    let sources = try open(paths)
    var contents = try reader.contents()
    var sum = ImportSummary()
    sum.isDryRun = options.isDryRun
    for (index, source) in sources.enumerated() {
      do {
        var step = try BackupImport(source, into: contents, options: options, counter: counter)
        if let writer {
          try step.prepare(reader)
          sum += named(try step.run(writer), source, among: sources)
          if index + 1 < sources.count { contents = try reader.contents() }
        } else {
          let (summary, after) = try step.dryRun(reader)
          sum += named(summary, source, among: sources)
          contents = after
        }
      } catch let error where index > 0 && !options.isDryRun && !(error is CancellationError) {
        throw BackupError.stopped(at: source.path, after: sources[..<index].map(\.path), sum, error)
      }
    }
    return sum
  }

  /// Puts the one backup in the place of everything, once that is confirmed where anything goes.
  private func replace(_ paths: [FilePath]) throws -> ImportSummary {
    var opened: [BackupSource]?
    var (writer, steps) = try LibraryWriter.approved(
      library, by: options.authorization, lockWait: options.lockWait, syncs: options.syncs,
      whileWaiting: counter.reportWaitingForLock
    ) { writer in
      counter.enter(.planning)
      let sources = try opened ?? open(paths)
      opened = sources
      let contents = try writer.library.contents()
      var steps = try sources.map {
        try BackupImport($0, into: contents, options: options, counter: counter)
      }
      for index in steps.indices { try steps[index].prepare(writer.library) }
      let removal = steps.reduce(into: Removal()) { $0 += $1.removal }
      let backups = sources.map(\.path.string).joined(separator: ", ")
      let question = "replace everything in \(library) by \(backups): \(removal.clause)"
      return (steps, DestructiveOperation(question, removes: removal))
    }
    var sum = ImportSummary()
    for index in steps.indices { sum += try steps[index].run(writer) }
    return sum
  }

  /// Opens all backups. Those of a chain become one.
  private func open(_ paths: [FilePath]) throws -> [BackupSource] {
    var sources = try folded(paths.map(open))
    if options.strategy == .replace, sources.count > 1 {
      throw BackupError.severalToReplace(sources[1].path, after: sources[0].path)
    }
    if let folder = options.photosFrom {
      let finder = try PhotoFinder(folder: folder)
      for index in sources.indices { try finder.complete(&sources[index], counter) }
    }
    counter.setTotals(
      items: sources.reduce(0) { $0 + $1.photos.count },
      bytes: sources.reduce(0) { $0.saturated(plus: $1.photoBytes) })
    return sources
  }

  /// Brings each incremental backup together with what it rests on, which is among these, or beside it. What is in such
  /// a chain is not imported once more by itself.
  private func folded(_ sources: [BackupSource]) throws -> [BackupSource] {
    var finders: [FilePath: ChainFinder] = [:]
    var results: [BackupSource] = []
    var rested = Set<MD5Digest>()
    for source in sources {
      guard source.increment != nil else {
        results.append(source)
        continue
      }
      let folded = try source.folded(
        among: sources, by: finder(beside: source.path, &finders), options.limits)
      rested.formUnion(folded.chain?.bases.compactMap(\.metadataDigest) ?? [])
      results.append(folded)
    }
    return results.filter { source in source.metadataDigest.map { !rested.contains($0) } ?? true }
  }

  /// The archives beside a backup, which are looked at once for all backups of a folder.
  private func finder(beside path: FilePath, _ finders: inout [FilePath: ChainFinder]) -> ChainFinder {
    if let known = finders[path.folder] { return known }
    let finder = ChainFinder(
      beside: path, limits: options.limits, password: options.password, ledger: options.ledger,
      check: counter.checkCancellation)
    finders[path.folder] = finder
    return finder
  }

  private func open(_ path: FilePath) throws -> BackupSource {
    var source =
      try options.salvages
      ? salvaged(path) : BackupSource(path: path, limits: options.limits, password: options.password)
    if let ids = options.photoIDs { source.photos.removeAll { !ids.contains($0.record.id) } }
    try source.requirePassword(toRead: .photos)
    return source
  }

  /// Opens a backup, or rescues what can be rescued of it, or takes the photos of a photo export.
  private func salvaged(_ path: FilePath) throws -> BackupSource {
    let (limits, password) = (options.limits, options.password)
    let check = { [counter] (_: Int) in try counter.checkCancellation() }
    do {
      return try .salvaging(path, limits: limits, password: password, whileReading: check)
    } catch let error as BackupError {
      guard case .photoExport(_, let export) = error else { throw error }
      return try .searching(
        path, after: error, for: export, limits: limits, password: password, whileReading: check)
    }
  }

  /// With several backups, each message begins with its backup's path.
  private func named(
    _ summary: ImportSummary, _ source: BackupSource, among sources: [BackupSource]
  ) -> ImportSummary {
    guard sources.count > 1 else { return summary }
    var summary = summary
    summary.warnings = summary.warnings.map { "\(source.path): \($0)" }
    summary.errors = summary.errors.map { $0.from(source.path) }
    return summary
  }
}
