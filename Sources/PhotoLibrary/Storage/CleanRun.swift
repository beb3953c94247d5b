import FileSystem
import Foundation
import Operations
import SystemPackage

/// One run of `clean`.
///
/// The recovery that every writer does removes what interrupted operations left; `clean` postpones it until
/// the plan is confirmed. An undo is discarded by a change. Corrupt files and unfinished archives are removed
/// one by one.
struct CleanRun {
  let path: FilePath
  let options: CleanOptions
  let counter: ProgressCounter
  var now = Date()

  func run() throws -> CleanSummary {
    counter.enter(.planning)
    let (plan, _, writer) = try options.approve(path, counter, leftovers: .postpone) { library in
      let plan = try CleanPlan(library, options, now: now)
      return (plan, plan.operations)
    }
    guard let writer else {
      return CleanSummary(
        items: plan.items, files: plan.items.saturatedSum(\.files), bytes: plan.items.saturatedSum(\.bytes),
        left: plan.unlisted, isDryRun: true)
    }
    try counter.checkCancellation()
    counter.enter(.committing)
    let summary = try remove(plan, writer)
    counter.report(summary.findings)
    return summary
  }

  /// Removes the items. A failure does not stop the others. After the first removal it does not throw, so that
  /// the summary tells what was done.
  private func remove(_ plan: CleanPlan, _ writer: LibraryWriter) throws -> CleanSummary {
    let library = writer.library
    let recovery = try LibraryRecovery(writer: writer).run()
    let undo = removeUndo(plan, after: recovery, writer)
    let missing = Result {
      plan.has(.quarantined) ? try Self.prefixesOfMissingPhotos(library) : []
    }
    var summary = CleanSummary(left: plan.unlisted)
    for item in plan.items {
      let reason =
        switch item.kind {
        case .staged: item.operationID.flatMap { recovery.operations[$0] }
        case .obsoleteUndo, .undo: undo
        case .quarantined: Self.reason { try remove(quarantined: item, library, missing.get()) }
        case .unfinishedArchive: Self.reason { try remove(unfinished: item.path) }
        }
      var (removed, fault) = (item, nil as String?)
      removed.entries = item.entries.filter { entry in
        do {
          return try isRemoved(entry, of: item, library)
        } catch {
          fault = "\(error)"
          return false
        }
      }
      summary.files += removed.files
      summary.bytes = summary.bytes.saturated(plus: removed.bytes)
      if removed == item, item.kind != .undo || reason ?? fault == nil {
        summary.items.append(item)
      } else {
        let path = item.kind == .unfinishedArchive ? item.path : library.root.path(of: item.path)
        summary.left.append(Finding(.file(path.string), reason ?? fault ?? "it could not be removed"))
      }
    }
    return summary
  }

  private func isRemoved(
    _ entry: CleanItem.Entry, of item: CleanItem, _ library: Library
  ) throws(FileError) -> Bool {
    guard item.kind == .unfinishedArchive else { return try library.root.status(of: entry.path) == nil }
    return try Directory.open(entry.path.folder).status(of: FilePath(entry.path.name)) == nil
  }

  /// Returns the reason that a removal gives, or its error; nil if it succeeds.
  private static func reason(_ remove: () throws -> String?) -> String? {
    do {
      return try remove()
    } catch {
      return "\(error)"
    }
  }

  /// Discards what the library keeps for an undo, and removes the folders of no change, as far as the plan has them. The
  /// rows tell first, durably, that nothing can be undone; then the files are deleted. After an interruption between the
  /// two, the next writer deletes the files.
  ///
  /// - Returns: why files stay; nil if there was no error.
  private func removeUndo(
    _ plan: CleanPlan, after recovery: LibraryRecovery.Failures, _ writer: LibraryWriter
  ) -> String? {
    guard plan.has(.undo) || recovery.replacedFiles == nil && plan.has(.obsoleteUndo) else {
      return recovery.replacedFiles
    }
    return Self.reason {
      if plan.has(.undo), try !writer.library.read(UndoStack.init).kept.isEmpty {
        try writer.change(.discard) { try $0.commit(LibraryEdit()) }
      }
      return try ReplacedFiles(writer).settle(always: true) ? nil : ReplacedFiles.reasonOfReaders
    }
  }

  /// Removes the corrupt files of a repair if it is complete, since a photo may need them otherwise. Keeps the corrupt file
  /// of a photo whose file is missing: it may be the last copy.
  ///
  /// - Returns: why files stay.
  private func remove(
    quarantined item: CleanItem, _ library: Library, _ missing: [String]
  ) throws -> String? {
    let pending = try library.read { try FileMove.pending(operation: item.operationID, in: $0) }
    guard pending.isEmpty else { return "the repair is not complete" }
    try library.root.removeFolder(item.path) { name in
      Quarantine.isFileName(name) && !missing.contains { name.string.hasPrefix($0) }
    }
    let isLeft = try library.root.status(of: item.path) != nil && !missing.isEmpty
    return isLeft ? "the library has no other file of a photo" : nil
  }

  /// Returns how the names of the corrupt files of photos begin whose files are missing.
  private static func prefixesOfMissingPhotos(_ library: Library) throws -> [String] {
    try library.contents().photos.compactMap { photo in
      if !photo.isFromAssets, case .failure = library.status(of: photo) { "\(photo.id)_" } else { nil }
    }
  }

  private func remove(unfinished file: FilePath) throws -> String? {
    try AtomicFile.removeAbandoned(FilePath(file.name), in: Directory.open(file.folder))
    return nil
  }
}
