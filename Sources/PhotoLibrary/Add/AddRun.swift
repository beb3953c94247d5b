import Checksums
import FileSystem
import Foundation
import Operations
import Synchronization
import SystemPackage

extension Work where Summary == AddSummary {
  /// Starts copying photos into a library, in one atomic change, which also restores photos of the library whose files are
  /// missing and that are among the given ones. Files that cannot be read, or that change while they are read, are reported
  /// and not added. The originals do not change.
  ///
  /// The summary throws `LibraryError`, `FileLock.Busy` or `FileError`.
  public static func add(
    _ paths: [FilePath], to library: FilePath, options: AddOptions = AddOptions()
  ) -> Self {
    let operation = RecordedOperation(.add, ofLibrary: library, isDryRun: options.isDryRun)
    return Work(operation, by: options.recorder) { counter in
      try AddRun(library: library, options: options, counter: counter).run(paths)
    }
  }
}

/// One run of `add`: find, copy and hash, commit.
struct AddRun {
  let library: FilePath
  let options: AddOptions
  let counter: ProgressCounter

  /// The result of copying one file.
  private enum Copied {
    case staged(FileContent)
    case failed(AddFailure)

    var failure: AddFailure? { if case .failed(let failure) = self { failure } else { nil } }
  }

  func run(_ paths: [FilePath]) throws -> AddSummary {
    // a file in the library is a photo already, or is untracked and would then exist twice
    for path in paths where path.leads(into: library) { throw LibraryError.insideLibrary(path) }
    let search = PhotoSearch(paths, for: try? Directory.open(library).status().identity)
    let found = search.photos
    counter.setTotals(items: found.count, bytes: found.saturatedSum(\.size))
    var summary = AddSummary()
    summary.warnings = search.warnings
    for failure in options.unusable + search.failures {
      counter.report(failure.finding)
      report(failure, category: options.category, &summary)
    }
    if options.isDryRun {
      summary.isDryRun = true
      let library = try Library(path: library)
      try library.requireSpaceBeforeChange(found.saturatedSum(\.size))
      let (plan, restoration) = try plan(found, read(found, into: nil), for: library, in: nil, &summary)
      summary = plan.count(into: summary)
      report(restoration, failures: [:], &summary)
      return summary
    }
    let writer = try LibraryWriter(
      path: library, lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock)
    try writer.library.requireSpace(found.saturatedSum(\.size))
    return try writer.change(.add) { change in
      let copied = try read(found, into: change)
      var (plan, restoration) = try plan(found, copied, for: writer.library, in: change, &summary)
      var failures: [Int64: any Error] = [:]
      let repairs = try restoration.stage(in: change, numberedFrom: found.count, counter, &failures)
      try counter.checkCancellation()
      counter.enter(.committing)
      let files = try plan.place(writer)
      let outcome = try change.commit(plan.edit.isEmpty ? nil : plan.edit, files: files, repairs: repairs)
      failures.merge(outcome.failures) { $1 }
      summary = plan.count(into: summary)
      report(restoration, failures: failures, &summary)
      return summary
    }
  }

  /// Decides which files are new photos, and which restore photos of the library. Removes the others from the staging folder.
  ///
  /// - Parameter change: nil for a dry run.
  private func plan(
    _ found: [PhotoSearch.Found], _ copied: [Int: Copied], for library: Library, in change: Change?,
    _ summary: inout AddSummary
  ) throws -> (AddPlan, PhotoRestoration) {
    let contents = try library.contents()
    var plan = AddPlan(contents, options.category, now: .now)
    var restoration = PhotoRestoration(of: library, contents)
    for (index, file) in found.enumerated() {
      switch copied[index] {
      case .staged(let content):
        switch plan.add(file, content, stagedName: String(index)) {
        case .added:
          report(file, .imported, &summary)
        case .known(let photos):
          let outcome = try restoration.add(photos, from: file, content, stagedAs: String(index), counter)
          if restoration.items.last?.stagedName != String(index) {
            try change?.staging.unstage(String(index))
          }
          switch outcome {
          case .intact:
            report(file, .skipped, reason: "its category already has it", &summary)
          case .restored:
            continue
          case .unusable(let finding):
            counter.report(finding)
            summary.errors.append(finding)
            report(file, .skipped, reason: finding.message, &summary)
          }
        }
      case .failed(let failure):
        report(failure, category: category(of: file), &summary)
      case nil:
        continue
      }
    }
    return (plan, restoration)
  }

  private func report(
    _ file: PhotoSearch.Found, _ action: PhotoReport.Action, reason: String? = nil,
    _ summary: inout AddSummary
  ) {
    guard options.reportsPhotos else { return }
    summary.photoReports.append(
      PhotoReport(
        action, .file(file.path.string.escaped), name: file.path.stem ?? "photo",
        category: category(of: file),
        from: file.path.string, reason: reason))
  }

  /// Reports the photos that were restored, or would be.
  ///
  /// - Parameter failures: why photos could not be restored, by ID.
  private func report(
    _ restoration: PhotoRestoration, failures: [Int64: any Error], _ summary: inout AddSummary
  ) {
    let outcome = options.isDryRun ? "would be restored" : "was restored"
    summary.photosSkipped -= restoration.usedFiles
    summary.photosRestored = restoration.items.count - failures.count
    for item in restoration.items {
      if let failure = failures[item.photo.id] {
        let finding = Finding(
          item.label, "\(PhotoRestoration.Item.fault), and could not be restored: \(failure)")
        counter.report(finding)
        summary.errors.append(finding)
        report(item.source, .leftOut, reason: finding.message, &summary)
      } else {
        summary.warnings.append("\(item.label): \(PhotoRestoration.Item.fault), and \(outcome)")
        report(item.source, .restored, reason: PhotoRestoration.Item.fault, &summary)
      }
    }
  }

  private func report(_ failure: AddFailure, category: String?, _ summary: inout AddSummary) {
    summary.errors.append(failure.finding)
    if options.reportsPhotos { summary.photoReports.append(failure.report(category: category)) }
  }

  private func category(of file: PhotoSearch.Found) -> String { options.category ?? file.folder }

  /// Reads the files, and copies them into the staging folder of a change.
  ///
  /// - Parameter change: nil for a dry run, which only reads.
  private func read(_ found: [PhotoSearch.Found], into change: Change?) throws -> [Int: Copied] {
    counter.enter(.reading)
    let results = Mutex<[Int: Copied]>([:])
    let counter = counter
    let failures = OrderedResults<AddFailure> { counter.report($0.finding) }
    let end = { @Sendable (index: Int, copied: Copied) in
      results.withLock { $0[index] = copied }
      failures.add(copied.failure, at: index)
    }
    try Workers.forEach(0..<found.count) { index in
      let file = found[index]
      counter.advance(current: file.path.lastComponent?.string)
      do {
        let content = try change.map { try Self.copy(file, to: $0.staging.stage(String(index)), counter) }
        end(index, .staged(try content ?? Self.read(file, counter) { _, _ in }))
      } catch let error as File.Unreadable {
        try change?.staging.unstage(String(index))
        end(index, .failed(AddFailure(error.error)))
      } catch is PhotoSearch.Found.Changed {
        try change?.staging.unstage(String(index))
        end(index, .failed(file.changed))
      }
      counter.advance(items: 1)
    }
    return results.withLock { $0 }
  }

  /// Copies a file to its end.
  ///
  /// - Throws: `File.Unreadable`, `PhotoSearch.Found.Changed`, or an error that concerns all files.
  static func copy(
    _ found: PhotoSearch.Found, to target: borrowing File, _ counter: ProgressCounter
  ) throws -> FileContent {
    let copied = try read(found, counter) { try target.write($0, at: $1) }
    try target.setModified(found.modified)
    target.startWriteBack(from: 0, count: copied.size)
    return copied
  }

  /// Reads a file to its end, and passes its bytes to `take`, each piece with its offset.
  private static func read(
    _ found: PhotoSearch.Found, _ counter: ProgressCounter,
    _ take: (UnsafeRawBufferPointer, Int) throws -> Void
  ) throws -> FileContent {
    var hash = RunningMD5()
    var size = 0
    let status = try File.readPieces(
      opening: { () throws(FileError) in try found.open() }
    ) { piece in
      try counter.checkCancellation()
      hash.update(piece)
      try take(piece, size)
      size += piece.count
      counter.advance(bytes: piece.count)
    }
    try found.requireUnchanged(status)
    return FileContent(md5: hash.digest, size: size)
  }
}
