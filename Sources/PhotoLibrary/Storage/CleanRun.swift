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
    var reasons = Reasons(recovery: try writer.recover())
    if !plan.items(of: .obsoleteUndo).isEmpty { reasons.removeObsoleteUndo(writer) }
    if !plan.items(of: .undo).isEmpty { reasons.discardUndo(writer) }
    reasons.remove(quarantined: plan.items(of: .quarantined), writer.library)
    reasons.remove(unfinished: plan.items(of: .unfinishedArchive))

    var summary = CleanSummary(left: plan.unlisted)
    for item in plan.items {
      var (removed, fault) = (item, nil as String?)
      removed.entries = item.entries.filter { entry in
        do {
          return try isRemoved(entry, of: item, writer.library)
        } catch {
          fault = "\(error)"
          return false
        }
      }
      summary.files += removed.files
      summary.bytes = summary.bytes.saturated(plus: removed.bytes)
      let reason = reasons[item] ?? fault
      if removed == item, item.kind != .undo || reason == nil {
        summary.items.append(item)
      } else {
        let path = item.kind == .unfinishedArchive ? item.path : writer.library.root.path(of: item.path)
        summary.left.append(Finding(.file(path.string), reason ?? "it could not be removed"))
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
}

/// Why items could not be removed.
private struct Reasons {
  private let operations: [String: String]
  private var undo: String?
  private var items: [FilePath: String] = [:]

  init(recovery: LibraryRecovery.Failures) {
    (operations, undo) = (recovery.operations, recovery.replacedFiles)
  }

  /// The reason for an item; nil if there was no error.
  subscript(item: CleanItem) -> String? {
    switch item.kind {
    case .staged: item.operationID.flatMap { operations[$0] }
    case .obsoleteUndo, .undo: undo
    case .quarantined, .unfinishedArchive: items[item.path]
    }
  }

  /// Returns the reason that a removal gives, or its error; nil if it succeeds.
  private static func reason(_ remove: () throws -> String?) -> String? {
    do {
      return try remove()
    } catch {
      return "\(error)"
    }
  }

  mutating func removeObsoleteUndo(_ writer: LibraryWriter) {
    guard undo == nil else { return }
    undo = Self.reason {
      try ReplacedFiles(writer).removeObsoleteFolders() ? nil : ReplacedFiles.reasonOfReaders
    }
  }

  mutating func discardUndo(_ writer: LibraryWriter) {
    undo = Self.reason { try writer.discardUndo() ? nil : ReplacedFiles.reasonOfReaders }
  }

  /// Removes the corrupt files of repairs that are complete, since a photo may need those of the others. Keeps the corrupt
  /// file of a photo whose file is missing: it may be the last copy.
  mutating func remove(quarantined: [CleanItem], _ library: Library) {
    let missing: [String]
    do {
      missing = quarantined.isEmpty ? [] : try Self.prefixesOfMissingPhotos(library)
    } catch {
      for item in quarantined { items[item.path] = "\(error)" }
      return
    }
    for item in quarantined {
      items[item.path] = Self.reason {
        let pending = try library.read { try FileMove.pending(operation: item.operationID, in: $0) }
        guard pending.isEmpty else { return "the repair is not complete" }
        try library.root.removeFolder(item.path) { name in
          Quarantine.isFileName(name) && !missing.contains { name.string.hasPrefix($0) }
        }
        let isLeft = try library.root.status(of: item.path) != nil && !missing.isEmpty
        return isLeft ? "the library has no other file of a photo" : nil
      }
    }
  }

  /// Returns how the names of the corrupt files of photos begin whose files are missing.
  private static func prefixesOfMissingPhotos(_ library: Library) throws -> [String] {
    try library.contents().photos.compactMap { photo in
      if !photo.isFromAssets, case .failure = library.status(of: photo) { "\(photo.id)_" } else { nil }
    }
  }

  mutating func remove(unfinished files: [CleanItem]) {
    for file in files {
      items[file.path] = Self.reason {
        let folder = try Directory.open(file.path.folder)
        try AtomicFile.removeAbandoned(FilePath(file.path.name), in: folder)
        return nil
      }
    }
  }
}
