import Checksums
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import Zip

/// The import of one backup: plan, place, extract, commit.
struct BackupImport {
  /// The backup with the checksums of all files.
  let source: OpenedBackup
  /// The backup with the checksums that it states.
  let sourceAsStated: OpenedBackup
  let contents: LibraryContents
  let plan: MergePlan
  /// Photos whose bytes contradict the manifest, and which a salvage imports.
  private let contradicted: [Finding]
  /// The photos that neither the backup nor the library has.
  private let missing: UnavailablePhotos
  private let options: ImportOptions
  private let counter: ProgressCounter
  /// Called for each finding when it occurs, by any thread.
  var report: @Sendable (Finding) -> Void = { _ in }

  /// Makes the plan. Reads entries for which the manifest has no MD5. A salvage that is not a dry run also reads every
  /// entry whose content the library does not have. A replacement reads the files of the library that would be kept.
  /// Writes nothing.
  ///
  /// - Throws: `BackupError.cannotReplace` if the backup must not replace the library.
  init(
    _ source: OpenedBackup, into contents: LibraryContents, of library: Library, options: ImportOptions,
    counter: ProgressCounter
  ) throws {
    sourceAsStated = source
    var source = try source.completingChecksums(counter)
    if options.salvages, !options.isDryRun {
      (source, contradicted) = try source.correctingChecksums(
        ofPhotosAt: source.photosToImport(into: contents), counter)
    } else {
      contradicted = []
    }
    plan = try MergePlan(
      importing: source, into: contents, strategy: options.strategy,
      includesSettings: options.includesSettings, restoresRemoved: options.restoresRemoved,
      now: .now, duplicates: options.duplicates
    ) { [source] kept in
      try library.intactPhotos(among: kept, replacedBy: source, counter)
    }
    missing = UnavailablePhotos(of: plan, in: source)
    (self.source, self.contents, self.options, self.counter) = (source, contents, options, counter)
    // the user may have answered the question about a duplicate by stopping
    try counter.checkCancellation()
    guard refusesDamage else { return }
    if let reason = ReplacementGuard.refusal(
      of: source, missing: missing.count, damage: findingsOfPlan)
    {
      throw BackupError.cannotReplace(source.path, reason: reason)
    }
  }

  /// True if the backup must contain a complete library, since it replaces one.
  private var refusesDamage: Bool { options.strategy == .replace && !options.isForced }

  /// Returns the items that the plan removes from the library. Only `replace` removes items.
  ///
  /// - Parameter damaged: the IDs of new photos that turned out to be corrupt in the backup.
  func removal(without damaged: Set<Int64> = []) -> Removal {
    guard options.strategy == .replace else { return Removal() }
    return Removal(from: contents, to: contents.applying(plan.edit(without: damaged)))
  }

  /// Imports the backup after the user has approved. One transaction makes the change. Files that are missing in the
  /// library are restored before, in a change of their own, which stays even if the import fails afterwards.
  func run(_ writer: LibraryWriter) throws -> ImportSummary {
    findingsOfPlan.forEach(report)
    let (repairs, changedInLibrary) = try repairs(of: writer.library)
    changedInLibrary.forEach(report)
    let repaired = try repairs.apply(writer, counter)
    findings(of: repairs, repaired.failures).forEach(report)
    try writer.requireSpace(plan.bytes, reusing: plan.filesToExtract.map(\.content), counter)
    counter.advance(
      items: source.photos.count - plan.filesToExtract.count, bytes: source.photoBytes - plan.bytes)
    counter.enter(.restoring)
    let changed = try changedFilesToLeave(in: writer.library)
    let extracted = try plan.edit.isEmpty ? Extraction.Outcome() : extract(writer)
    var summary = summary(
      repairs: repairs, repaired.failures, extracted: extracted, restored: extracted.staged.count,
      changed: changed)
    summary.changedInLibrary = changedInLibrary
    return summary
  }

  private func extract(_ writer: LibraryWriter) throws -> Extraction.Outcome {
    try writer.change(options.strategy == .replace ? .replace : .merge) { change in
      let placement = try Placement(of: plan, writer)
      let extraction = Extraction(
        source: source, files: placement.files, change: change, counter: counter
      ) { [source, report] damaged in
        report(Self.finding(of: damaged, in: source))
      }
      let outcome = try extraction.run(Readers(options.readers, on: source.archive?.status.identity))
      if refusesDamage, let damaged = outcome.damaged.first {
        let finding = Self.finding(of: damaged, in: source)
        throw BackupError.cannotReplace(source.path, reason: "it is damaged (\(finding))")
      }
      try counter.checkCancellation()
      try source.archive?.requireUnchanged()
      counter.enter(.committing)
      let edit = plan.edit(placement, without: Set(outcome.damaged.map(\.file.id)))
      if !edit.isEmpty { try change.commit(edit, files: outcome.staged) }
      return outcome
    }
  }

  /// Returns the summary of a dry run, and the content of the library after such an import.
  func dryRun(_ library: Library) throws -> (ImportSummary, after: LibraryContents) {
    findingsOfPlan.forEach(report)
    try library.requireSpaceBeforeChange(plan.bytes)
    let (repairs, changedInLibrary) = try repairs(of: library)
    changedInLibrary.forEach(report)
    counter.advance(items: source.photos.count, bytes: source.photoBytes)
    var summary = try summary(
      repairs: repairs, restored: plan.filesToExtract.count, changed: changedFilesToLeave(in: library))
    summary.changedInLibrary = changedInLibrary
    return (summary, contents.applying(plan.edit))
  }

  /// Returns the paths of files that a replacement leaves in their places: no photo uses them any more, and another
  /// program has changed them.
  private func changedFilesToLeave(in library: Library) throws -> [String] {
    guard options.strategy == .replace else { return [] }
    let paths = Set(contents.applying(plan.edit).photos.map(\.path))
    let photos = contents.photos.filter { !$0.isFromAssets && !paths.contains($0.path) }
    guard !photos.isEmpty else { return [] }
    return try photos.filter { photo in
      try library.isChanged(photo, whileReading: counter.checkCancellation)
    }.map(\.path)
  }

  /// Searches the backup for the files that are missing in the library. A replacement repairs nothing.
  ///
  /// - Returns: the repairs, and the photos of the backup whose files in the library have another size than recorded.
  private func repairs(of library: Library) throws -> (PhotoRepairs, changed: [Finding]) {
    guard options.strategy != .replace else { return (PhotoRepairs(of: []), []) }
    let (missing, changed) = library.unusablePhotos(of: contents)
    var findings: [Finding] = []
    if !changed.isEmpty {
      let matched = Set(plan.outcomes.compactMap(\.existing))
      findings = changed.filter { matched.contains($0.id) }.map { photo in
        Finding(
          contents.label(of: photo), "its file in the library has another size than recorded",
          remedy: .repairLibrary)
      }
    }
    var repairs = PhotoRepairs(of: missing)
    try repairs.search([source], counter)
    return (repairs, findings)
  }

  /// What is known to be damaged before photos are extracted. The corrupt photos of the backup are imported, since they
  /// may still be worth seeing.
  private var findingsOfPlan: [Finding] {
    (source.salvage?.findings ?? []) + source.skipped + source.corruptBeforeBackup + contradicted
      + missing.damage
  }

  /// Returns the photos of the library that could not be repaired, and the archives in which a missing photo is
  /// corrupt.
  ///
  /// - Parameter failures: why, by ID.
  private func findings(of repairs: PhotoRepairs, _ failures: [Int64: String]) -> [Finding] {
    repairs.repairs.compactMap { repair in
      failures[repair.unusable.photo.id].map {
        Finding(repair.unusable.label, "\(repair.unusable.reason), and could not be restored: \($0)")
      }
    }
      + repairs.failing.sorted { $0.key.string < $1.key.string }.map {
        Finding(.file($0.key.string.escaped), $0.value)
      }
  }

  /// Returns a warning for each photo whose own bytes are missing or corrupt in the backup, and which has others.
  ///
  /// - Parameters:
  ///   - replaced: the findings of `extracted.replaced`.
  ///   - indices: the photos whose files are, or would be, added.
  private func substitutes(
    _ extracted: Extraction.Outcome, _ replaced: [Finding], among indices: Set<Int>
  ) -> [String] {
    let corrupt = Set((extracted.damaged + extracted.replaced).map(\.file.source))
    let salvaged = (source.salvage?.replaced ?? [:]).sorted { $0.key < $1.key }
      .filter { indices.contains($0.key) && !corrupt.contains($0.key) }
      .map { Finding(source.label(of: source.photos[$0.key]), $0.value) }
    let verb = options.isDryRun ? "would be" : "was"
    let warnings = BoundedList(replaced + salvaged) {
      "\($0.message), so an equal photo of the backup \(verb) used"
    }
    return warnings.elements {
      "\(Count($0, "more photo is", "more photos are")) missing or corrupt in the backup and came from elsewhere"
    }
  }

  /// Returns the archive that has a corrupt photo.
  private func archive(of damaged: Extraction.DamagedFile) -> FilePath {
    source.archive(of: source.photos[damaged.file.source])
  }

  private static func finding(of damaged: Extraction.DamagedFile, in source: OpenedBackup) -> Finding {
    Finding(source.label(of: source.photos[damaged.file.source]), "\(damaged.fault)")
  }

  /// - Parameters:
  ///   - repairs: photos of the library whose files were missing and are in the backup.
  ///   - failures: why photos could not be repaired, by ID.
  ///   - extracted: the result of the extraction.
  ///   - restored: the number of files that were, or would be, added to the library.
  ///   - changed: the result of `changedFilesToLeave(in:)`.
  private func summary(
    repairs: PhotoRepairs, _ failures: [Int64: String] = [:],
    extracted: Extraction.Outcome = Extraction.Outcome(), restored: Int, changed: [String]
  ) -> ImportSummary {
    let corrupt = extracted.damaged
    let damaged = corrupt.map { Self.finding(of: $0, in: source) }
    let replaced = extracted.replaced.map { Self.finding(of: $0, in: source) }
    let repaired = repairs.repairs.filter { failures[$0.unusable.photo.id] == nil }
    var summary = ImportSummary()
    summary.categoriesImported = plan.categoriesImported
    summary.photosImported = plan.photosImported - damaged.count
    summary.photosSkipped = plan.photosSkipped
    summary.photosRemovedBefore = plan.photosRemovedBefore
    summary.removal = removal(without: Set(corrupt.map(\.file.id)))
    summary.photoFilesWritten = restored + repaired.count
    summary.photosNotImported = missing.count + corrupt.count
    summary.hasDiskFault = corrupt.contains(where: \.fault.isOfDisk)
    summary.errors = findingsOfPlan + findings(of: repairs, failures) + damaged
    for (file, finding) in zip(extracted.replaced, replaced) {
      summary.damagedArchives[archive(of: file)] = finding.message
    }
    for (path, reason) in repairs.failing { summary.damagedArchives[path] = reason }
    if let first = contradicted.first { summary.damagedArchives[source.path] = first.message }
    if let last = missing.lastDamage { summary.damagedArchives[source.path] = last.message }
    for (file, finding) in zip(corrupt, damaged) {
      summary.damagedArchives[archive(of: file)] = finding.message
    }
    if let salvage = source.salvage, summary.damagedArchives[source.path] == nil {
      summary.damagedArchives[source.path] = salvage.fault.message
    }
    if options.reportsPhotos {
      summary.photoReports = reports(damaged: corrupt, repaired: repaired.map(\.unusable))
    }
    let outcome = options.isDryRun ? "would be restored" : "was restored"
    summary.missingWithoutDamage = missing.withoutDamage
    summary.warnings = summary.missingWithoutDamage.map(\.message)
    summary.warnings += repaired.map {
      "\($0.unusable.label): \($0.unusable.reason), and \(outcome)"
    }
    summary.warnings += source.warnings + plan.warnings
    let extractedIndices = Set(plan.filesToExtract.map(\.source))
    summary.warnings += substitutes(extracted, replaced, among: extractedIndices)
    let changedFiles = BoundedList(changed) {
      "another program changed \($0.escaped), which stays as an untracked file"
    }
    summary.warnings += changedFiles.elements {
      "another program changed \(Count($0, "more file", "more files")), left as untracked"
    }
    let unknown = BoundedList(source.unknownEntries) {
      "\($0.shortened.escaped) is an unknown entry and was not imported"
    }
    summary.warnings += unknown.elements {
      "\(Count($0, "more unknown entry was", "more unknown entries were")) not imported"
    }
    return summary
  }
}

extension OpenedBackup {
  /// Returns the indices of the photos with entries whose stated content the library does not have.
  fileprivate func photosToImport(into library: LibraryContents) -> [Int] {
    let known = Set(library.photos.compactMap(\.content))
    return photos.indices.filter { index in
      guard case .entry = photos[index].location, let content = photos[index].location.content else {
        return false
      }
      return !known.contains(content)
    }
  }
}

extension Library {
  /// Returns the photos whose files are missing, and those whose files have another size than their rows. Reads no
  /// file.
  fileprivate func unusablePhotos(
    of contents: LibraryContents
  ) -> (missing: [LibraryCheck.UnusablePhoto], changed: [Photo]) {
    var missing: [LibraryCheck.UnusablePhoto] = []
    var changed: [Photo] = []
    for photo in contents.photos where !photo.isFromAssets {
      switch status(of: photo) {
      case .success(let status):
        if status.kind != .file || status.size != photo.fileSize { changed.append(photo) }
      case .failure(let error) where error.isMissing:
        missing.append(
          LibraryCheck.UnusablePhoto(
            photo: photo, label: contents.label(of: photo), reason: "its file was missing from the library"))
      case .failure: break
      }
    }
    return (missing, changed)
  }
}
