import FileSystem
import Foundation
import Operations
import SystemPackage

/// Options of `reset`.
package struct ResetOptions: ApprovedOptions {
  /// Only reports what would be reset.
  package var isDryRun = false
  /// How long to wait for another writer.
  package var lockWait: Duration = .zero
  /// Confirms the reset, or gives the library's PIN.
  package var authorization = Authorization.refused
  /// Deletes the files of the photos at once, and keeps nothing for an undo.
  package var isForGood = false
  /// Refuses to remove these photos by throwing. Called while the library is locked, before the question.
  package var refusing: @Sendable (_ photos: [Photo]) throws -> Void = { _ in }
  /// Carries out the change while no job of the library runs, or throws.
  package var excludingJobs: @Sendable (_ change: () throws -> Void) throws -> Void = { try $0() }

  /// The defaults.
  package init() {}
}

/// The result of `reset`.
package struct ResetSummary: Sendable, Equatable, FindingReport {
  /// The number of removed photos.
  package var photos = 0
  /// The number of removed categories.
  package var categories = 0
  /// Bytes of the photos' files.
  package var bytes = 0
  /// The settings whose values were not the defaults; nil if the settings stay.
  package var settings: [SettingChange]?
  /// The protections that are off since the reset.
  package var lowered: [Protection] = []
  /// The photos and categories are gone, and the library has a new ID.
  package var hasNewID = false
  /// Nothing is kept for an undo.
  package var isForGood = false
  /// Photos whose files were missing, unreadable or changed by another program.
  package var missing: [Finding] = []
  /// Files that a reset for good could not delete.
  package var left: [Finding] = []
  /// Nothing was written.
  package var isDryRun = false

  package var findings: [Finding] { left }
}

/// Why a library is not reset. Nothing was changed.
package enum ResetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The library is as a new one.
  case nothingToReset(FilePath)

  /// One line for the user.
  package var description: String {
    switch self {
    case .nothingToReset(let path): "there is nothing to reset in \(path)".escaped
    }
  }
}

/// One run of `reset`.
///
/// One transaction removes the rows, ends the movements, and gives the library a new ID, so that exports and imported
/// inbox files of the old ID no longer count. The files move to `.undo` as after a removal. A reset for good adds a row of
/// the kind `discard` to the same transaction, after which the files are deleted.
package struct ResetRun {
  private let path: FilePath
  private let options: ResetOptions
  private let counter: ProgressCounter

  /// Describes the reset of a library.
  package init(_ path: FilePath, _ options: ResetOptions, _ counter: ProgressCounter) {
    (self.path, self.options, self.counter) = (path, options, counter)
  }

  /// Resets parts of the library in one transaction, which `undo` takes back, except for the PIN. Durable when it returns.
  /// Blocks.
  ///
  /// - Throws: `ResetError`, `LibraryError`, `AuthorizationError`, `FileLock.Busy`, `FileError`, or what the functions of
  ///   the options throw; nothing has changed then.
  package func run(_ scope: ResetScope) throws -> ResetSummary {
    counter.enter(.planning)
    let (plan, library, writer) = try options.approve(path, counter) { library in
      let plan = try makePlan(library, scope)
      return (plan, [plan.operation(in: path, isForGood: options.isForGood)])
    }
    var summary = try summary(of: plan, library)
    guard let writer else { return summary }
    try counter.checkCancellation()
    counter.enter(.committing)
    try options.excludingJobs { try carryOut(plan, writer) }
    if options.isForGood { summary.left = writer.deleteReplacedAndQuarantinedFiles() }
    counter.report(summary.left)
    return summary
  }

  private func makePlan(_ library: Library, _ scope: ResetScope) throws -> ResetPlan {
    let plan = try ResetPlan(library, scope, now: .now)
    guard !plan.isEmpty else { throw ResetError.nothingToReset(path) }
    if !plan.photos.isEmpty { try options.refusing(plan.photos) }
    return plan
  }

  private func carryOut(_ plan: ResetPlan, _ writer: LibraryWriter) throws {
    // the removal of a PIN cannot be undone, and needs no change
    guard plan.contents != nil || plan.settings != nil else { return try writer.deletePIN() }
    let edit = plan.edit(libraryID: UUID(), isForGood: options.isForGood)
    try writer.change(plan.kind) { try $0.commit(edit) }
  }

  private func summary(of plan: ResetPlan, _ library: Library) throws -> ResetSummary {
    ResetSummary(
      photos: plan.photos.count, categories: plan.contents?.categories.count ?? 0, bytes: plan.bytes,
      settings: plan.settings?.changes, lowered: plan.lowered, hasNewID: plan.contents != nil,
      isForGood: options.isForGood, missing: try library.findings(beforeRemoving: plan.photos, counter),
      isDryRun: options.isDryRun)
  }
}

extension LibraryWriter {
  /// Deletes the files of replaced photos and the corrupt files that repairs replaced. Blocks. Does not throw, since the
  /// reset is committed.
  ///
  /// - Returns: what could not be deleted. The next writer deletes the files of replaced photos.
  fileprivate func deleteReplacedAndQuarantinedFiles() -> [Finding] {
    var left: [Finding] = []
    func attempt(_ path: FilePath, _ delete: () throws -> Bool) {
      let item = Finding.Subject.folder(library.root.path(of: path).string)
      do {
        if try !delete() { left.append(Finding(item, ReplacedFiles.reasonOfReaders)) }
      } catch {
        left.append(Finding(item, "\(error)"))
      }
    }
    attempt(ReplacedFiles.parent) { try ReplacedFiles(self).settle() }
    let quarantined = (try? StorageScan(library).cleanItems.filter { $0.kind == .quarantined }) ?? []
    for item in quarantined {
      attempt(item.path) {
        try library.root.removeFolder(item.path, of: Quarantine.isFileName)
        return true
      }
    }
    return left
  }
}
