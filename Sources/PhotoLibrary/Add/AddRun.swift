import Checksums
import FileSystem
import Foundation
import Operations
import Synchronization
import SystemPackage

extension Work where Summary == AddSummary {
  /// Starts copying photos into a library, atomically. Files that cannot be read, or that change while they are read,
  /// are reported and not added. The originals do not change.
  ///
  /// The summary throws `LibraryError`, `FileLock.Busy` or `FileError`.
  public static func add(
    _ paths: [FilePath], to library: FilePath, options: AddOptions = AddOptions()
  ) -> Self {
    Work { counter in
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
    case staged(MD5Digest, size: Int)
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
      let plan = AddPlan(try library.contents(), options.category, now: Date().milliseconds)
      return try dryRun(found, plan, summary)
    }
    let writer = try LibraryWriter(
      path: library, lockWait: options.lockWait, leftovers: .keep, whileWaiting: counter.reportWaitingForLock)
    let leftOver = try contentsOfLeftoverSize(found, writer)
    try writer.requireSpace(found.saturatedSum(\.size), reusing: Array(leftOver.values), counter)
    counter.enter(.reading)
    let added = try writer.change(.add) { change in
      let copied = try copy(found, leftOver, into: change)
      var plan = AddPlan(try writer.library.contents(), options.category, now: Date().milliseconds)
      for (index, file) in found.enumerated() {
        switch copied[index] {
        case .staged(let md5, let size):
          let isNew = plan.add(file, md5: md5, size: size, stagedName: String(index))
          if !isNew { try change.unstage(String(index)) }
          report(file, isNew: isNew, &summary)
        case .failed(let failure):
          report(failure, category: category(of: file), &summary)
        case nil:
          continue
        }
      }
      try counter.checkCancellation()
      counter.enter(.committing)
      let files = try plan.place(writer)
      if !plan.edit.isEmpty { try change.commit(plan.edit, files: files) }
      return plan.count(into: summary)
    }
    writer.leftovers.removeAll()
    return added
  }

  private func report(_ file: PhotoSearch.Found, isNew: Bool, _ summary: inout AddSummary) {
    guard options.reportsPhotos else { return }
    summary.photoReports.append(
      PhotoReport(
        isNew ? .imported : .skipped, file.path.string.escaped, name: file.path.stem ?? "photo",
        category: category(of: file), from: file.path.string,
        reason: isNew ? nil : "its category already has it"))
  }

  private func report(_ failure: AddFailure, category: String?, _ summary: inout AddSummary) {
    summary.errors.append(failure.finding)
    if options.reportsPhotos { summary.photoReports.append(failure.report(category: category)) }
  }

  private func category(of file: PhotoSearch.Found) -> String { options.category ?? file.folder }

  /// Returns the contents of the files that an interrupted operation may have staged already, since a leftover file has
  /// the same size, by index. Reads these files.
  private func contentsOfLeftoverSize(
    _ found: [PhotoSearch.Found], _ writer: LibraryWriter
  ) throws -> [Int: FileContent] {
    let sizes = writer.leftovers.sizes
    let indices = found.indices.filter { sizes.contains(found[$0].size) }
    guard let first = indices.first else { return [:] }
    counter.enter(.verifying)
    let counter = counter
    let contents = Mutex<[Int: FileContent]>([:])
    let disk = try? found[first].open().status().identity
    try ParallelHashing.read(0..<indices.count, Readers(on: disk), context: {}) { position, _ in
      let index = indices[position]
      let file = found[index]
      return try HashedFile(
        opening: { () throws(FileError) in try file.open() },
        whileReading: { _ in try counter.checkCancellation() },
        { md5, status in
          guard status.version == file.version else { return }
          contents.withLock { $0[index] = FileContent(md5: md5, size: status.size) }
        })
    }
    return contents.withLock { $0 }
  }

  private func dryRun(
    _ found: [PhotoSearch.Found], _ plan: AddPlan, _ summary: AddSummary
  ) throws -> AddSummary {
    var (plan, summary) = (plan, summary)
    counter.enter(.reading)
    for file in found {
      var failure: AddFailure?
      do {
        let (md5, size) = try hash(file)
        report(file, isNew: plan.add(file, md5: md5, size: size, stagedName: ""), &summary)
      } catch let error as FileError {
        failure = AddFailure(error)
      } catch is PhotoSearch.Found.Changed {
        failure = file.changed
      }
      if let failure {
        counter.report(failure.finding)
        report(failure, category: category(of: file), &summary)
      }
      counter.advance(items: 1, current: file.path.lastComponent?.string)
    }
    return plan.count(into: summary)
  }

  private func hash(_ found: PhotoSearch.Found) throws -> (MD5Digest, size: Int) {
    let file = try found.open()
    let (md5, size) = try MD5Digest.ofFile(file) { count in
      try counter.checkCancellation()
      counter.advance(bytes: count)
    }
    try found.requireUnchanged(file.status())
    return (md5, size)
  }

  /// - Parameter leftOver: the contents of files that an interrupted operation may have staged, by index.
  private func copy(
    _ found: [PhotoSearch.Found], _ leftOver: [Int: FileContent], into change: Change
  ) throws -> [Int: Copied] {
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
      if let content = leftOver[index],
        change.reuse(content, as: String(index), modified: file.modified)
      {
        end(index, .staged(content.md5, size: content.size))
        return counter.advance(items: 1, bytes: content.size)
      }
      do {
        let target = try change.stage(String(index))
        let (md5, size) = try Self.copy(file, to: target, counter)
        change.recordVerified(target, md5: md5)
        end(index, .staged(md5, size: size))
      } catch let error as File.Unreadable {
        try change.unstage(String(index))
        end(index, .failed(AddFailure(error.error)))
      } catch is PhotoSearch.Found.Changed {
        try change.unstage(String(index))
        end(index, .failed(file.changed))
      }
      counter.advance(items: 1)
    }
    return results.withLock { $0 }
  }

  private static func copy(
    _ found: PhotoSearch.Found, to target: borrowing File, _ counter: ProgressCounter
  ) throws -> (MD5Digest, size: Int) {
    var hash = RunningMD5()
    var size = 0
    let status = try File.readPieces(
      opening: { () throws(FileError) in try found.open() }
    ) { piece in
      try counter.checkCancellation()
      hash.update(piece)
      try target.write(piece, at: size)
      size += piece.count
      counter.advance(bytes: piece.count)
    }
    try found.requireUnchanged(status)
    try target.setModified(milliseconds: found.modified)
    target.startWriteBack(from: 0, count: size)
    return (hash.digest, size)
  }
}
