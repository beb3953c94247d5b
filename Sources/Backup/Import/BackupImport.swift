import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Synchronization
import SystemPackage
import Zip

/// The import of one backup: plan, extract, commit.
struct BackupImport {
  private let source: BackupSource
  private let contents: LibraryContents
  private let options: ImportOptions
  private let counter: ProgressCounter
  private var plan: MergePlan
  private var summary = ImportSummary()

  /// Makes the plan. Reads entries for which the manifest gives no MD5, and writes nothing.
  init(
    _ source: BackupSource, into contents: LibraryContents, options: ImportOptions, counter: ProgressCounter
  ) throws {
    self.source = try source.completingChecksums(counter)
    self.contents = contents
    self.options = options
    self.counter = counter
    plan = MergePlan(
      importing: self.source, into: contents, strategy: options.strategy,
      includesSettings: options.includesSettings, now: Date().milliseconds, duplicates: options.duplicates)
    // such a photo comes along, since it may still be worth seeing; that it is damaged is said every time
    summary.errors = (source.salvage?.findings ?? []) + source.leftOut + source.damagedBefore
    if let salvage = source.salvage { summary.damagedArchives = [source.path: salvage.fault.message] }
    // whoever was asked may have answered by stopping
    try counter.checkCancellation()
  }

  /// Looks at what the plan would keep of the library, and whether the backup can stand for it.
  mutating func prepare(_ library: Library) throws {
    try checkKept(library)
    noteAbsentPhotos()
    try refuseUnlessWhole()
  }

  /// What the plan takes out of the library. Only `replace` takes anything out.
  var removal: Removal {
    options.strategy == .replace ? Removal(from: contents, to: contents.applying(plan.edit)) : Removal()
  }

  /// Imports it, all or nothing, once it is prepared and approved.
  mutating func run(_ writer: LibraryWriter) throws -> ImportSummary {
    // before the rows change: whatever ends this ends an import that has changed nothing
    try bringBackLostFiles(writer)
    var files = plan.filesToRestore(source)
    let bytes = files.reduce(0) { $0 + $1.size }
    try writer.requireSpace(bytes)
    counter.advance(items: source.photos.count - files.count, bytes: source.photoBytes - bytes)
    counter.enter(.restoring)

    if !plan.edit.isEmpty {
      try writer.change(options.strategy == .replace ? .replace : .merge) { change in
        var staged = try place(&files, change, writer)
        let extraction = Extraction(source: source, files: files, change: change, counter: counter)
        let damaged = try extraction.run(Readers(options.readers, on: source.archive?.identity))
        for (file, reason) in damaged.sorted(by: { $0.key.source < $1.key.source }) {
          noteLoss(of: file.source, reason, isDamage: true)
        }
        try refuseUnlessWhole()
        if !damaged.isEmpty {
          plan.remove(Set(damaged.keys.map(\.id)))
          let names = Set(damaged.keys.map(\.stagedName))
          staged.removeAll { names.contains($0.name) }
        }
        try counter.checkCancellation()
        counter.enter(.committing)
        if !plan.edit.isEmpty { try change.commit(plan.edit, files: staged) }
        summary.photoFilesRestored += staged.count
      }
    }
    return counted()
  }

  /// Photos that the library has as rows, and of which somebody has removed the files, as far as they are in this
  /// backup.
  private func lostFiles(
    of library: Library
  ) throws -> (cures: Cures, labels: [(id: Int64, label: String)]) {
    var cures = Cures()
    var labels: [(id: Int64, label: String)] = []
    guard options.strategy != .replace else { return (cures, labels) }
    let photos = contents.photos.filter { !$0.isFromAssets }
    let lost = zip(photos, library.statuses(of: photos)).filter { _, status in
      if case .failure(let error) = status { error.isAbsence } else { false }
    }.map(\.0)
    guard !lost.isEmpty else { return (cures, labels) }
    let wanted = Dictionary(
      lost.compactMap { photo in photo.md5.map { ($0, Optional(photo.fileSize)) } },
      uniquingKeysWith: { first, _ in first })
    var supply = try PhotoSupply(wanted, from: [source], nil, counter)
    let names = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.displayName) })
    for photo in lost {
      guard let md5 = photo.md5, let (bytes, _) = try supply.find(md5, size: photo.fileSize) else { continue }
      let label = PhotoLabel.label(id: photo.id, category: names[photo.categoryId] ?? "", name: photo.name)
      cures.add(photo, md5, from: [bytes])
      labels.append((photo.id, label))
    }
    return (cures, labels)
  }

  /// Puts them back.
  private mutating func bringBackLostFiles(_ writer: LibraryWriter) throws {
    let (cures, labels) = try lostFiles(of: writer.library)
    guard !cures.isEmpty else { return }
    let failures = try cures.apply(writer, counter).failures
    for (id, label) in labels {
      if let failure = failures[id] {
        summary.errors.append(
          Finding(label, "its file is gone from the library, and could not be put back: \(failure)"))
      } else {
        noteLostFile(label, "is back")
      }
    }
  }

  private mutating func noteLostFile(_ label: String, _ outcome: String) {
    summary.warnings.append("\(label): its file was gone from the library, and \(outcome)")
    summary.photoFilesRestored += 1
  }

  /// Says what an import would do, and what the library would then hold.
  mutating func dryRun(_ library: Library) throws -> (ImportSummary, after: LibraryContents) {
    try prepare(library)
    try library.requireSpace(plan.filesToRestore(source).reduce(0) { $0 + $1.size })
    for (_, label) in try lostFiles(of: library).labels { noteLostFile(label, "would come back") }
    summary.photoFilesRestored += plan.restores.count
    counter.advance(items: source.photos.count, bytes: source.photoBytes)
    return (counted(), contents.applying(plan.edit))
  }

  /// Reads the files that the plan would keep, since a damaged file must not become a part of the new library.
  private mutating func checkKept(_ library: Library) throws {
    guard var replacement = plan.replacement else { return }
    let kept = replacement.rows.filter(\.isKept)
    let intact = Mutex<Set<Int64>>([])
    let (counter, source) = (counter, source)
    try Workers.forEach(0..<kept.count) { index in
      let photo = kept[index].photo
      var isIntact = try library.holds(photo, whileReading: counter.checkCancellation)
      let inBackup = source.photos[kept[index].source]
      // the backup has no better file than a damaged one, which an import before this one has brought
      if !isIntact, inBackup.lost != nil, let md5 = inBackup.content.md5, let size = inBackup.content.size {
        var damaged = photo
        (damaged.md5, damaged.fileSize) = (md5, size)
        isIntact = try library.holds(damaged, whileReading: counter.checkCancellation)
      }
      if isIntact { intact.withLock { _ = $0.insert(photo.id) } }
    }
    let ids = intact.withLock { $0 }
    guard ids.count < kept.count else { return }
    replacement.checkKept(source) { ids.contains($0.photo.id) }
    plan.settle(replacement)
  }

  /// Gives every new file its place in the library, and its name until it is there.
  private mutating func place(
    _ files: inout [Extraction.Item], _ change: Change, _ writer: LibraryWriter
  ) throws -> [Change.StagedFile] {
    let indices = Dictionary(
      uniqueKeysWithValues: plan.edit.newPhotos.indices.map { (plan.edit.newPhotos[$0].id, $0) })
    let names = files.compactMap { indices[$0.id] }.map { index in
      (plan.edit.newPhotos[index].fileName, plan.edit.newPhotos[index].createdAt)
    }
    let paths = try writer.newPaths(for: names)
    let stagedNames = try change.stagedNames(for: paths)
    var staged: [Change.StagedFile] = []
    staged.reserveCapacity(files.count)
    for (position, path) in paths.enumerated() {
      guard let index = indices[files[position].id] else { continue }
      plan.edit.newPhotos[index].path = path
      files[position].stagedName = stagedNames[position]
      staged.append(Change.StagedFile(name: stagedNames[position], path: path, md5: files[position].md5))
    }
    return staged
  }

  /// `replace` throws away what is there, so it needs a backup that holds a whole library.
  private func refuseUnlessWhole() throws {
    guard options.strategy == .replace, !options.isForced else { return }
    let reason: String? =
      if source.metadata.smilepile?.isPartial == true {
        "it is an export of a part of a library"
      } else if let base = source.missingBase {
        "it is incremental, and an archive that it rests on is not beside it (base \(base.escaped))"
      } else if source.format == .json, summary.photosAbsent > 0 || source.photoFiles == 0 {
        "it is a JSON backup, which holds no photo files"
      } else if source.photoFiles == 0, summary.photosAbsent > 0 {
        "it holds no photo files"
      } else if let error = summary.errors.first {
        source.leftOut.contains(error) ? "it is incomplete (\(error))" : "it is damaged (\(error))"
      } else {
        nil
      }
    if let reason { throw BackupError.cannotReplace(source.path, reason: reason) }
  }

  private mutating func noteAbsentPhotos() {
    for index in plan.absent {
      guard case .absent(let reason, let isDamage, _) = source.photos[index].content else { continue }
      noteLoss(of: index, reason, isDamage: isDamage)
    }
  }

  private mutating func noteLoss(of index: Int, _ reason: String, isDamage: Bool) {
    let photo = source.photos[index]
    let loss = Finding(source.label(of: photo), reason)
    if isDamage {
      summary.errors.append(loss)
      summary.damagedArchives[source.archive(of: photo)] = loss.message
    } else {
      summary.warnings.append(loss.message)
    }
    summary.photosAbsent += 1
  }

  private func counted() -> ImportSummary {
    var summary = summary
    summary.categoriesImported = plan.categoriesImported
    summary.photosImported = plan.photosImported
    summary.photosSkipped = plan.photosSkipped
    summary.removal = removal
    summary.warnings += source.warnings + plan.warnings
    summary.warnings += source.strangers.map { "\($0.escaped) is mentioned nowhere, and was not imported" }
    return summary
  }
}

extension LibraryContents {
  /// What a library with these contents holds after an edit.
  func applying(_ edit: LibraryEdit) -> LibraryContents {
    var result = self
    let removedCategories = Set(edit.removedCategories)
    let removedPhotos = Set(edit.removedPhotos)
    result.categories.removeAll { removedCategories.contains($0.id) }
    result.photos.removeAll { removedPhotos.contains($0.id) }
    let categories = Dictionary(uniqueKeysWithValues: edit.changedCategories.map { ($0.id, $0) })
    let photos = Dictionary(uniqueKeysWithValues: edit.changedPhotos.map { ($0.id, $0) })
    result.categories = result.categories.map { categories[$0.id] ?? $0 } + edit.newCategories
    result.photos = result.photos.map { photos[$0.id] ?? $0 } + edit.newPhotos
    result.settings = edit.settings ?? result.settings
    return result
  }
}
