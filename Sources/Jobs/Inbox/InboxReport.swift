import FileSystem
import Operations
import SystemPackage

/// A file in an inbox, as a run found it.
package struct InboxFile: Sendable, Equatable {
  /// What a run found, or did.
  package enum State: Sendable, Equatable {
    /// It is probably still being written.
    case unfinished(UnfinishedFile)
    /// It is not a backup.
    case ignored
    /// It cannot be imported, for this reason. It stays.
    case unreadable(reason: String)
    /// It was imported, now or earlier, and is damaged: photos are missing or corrupt. It stays.
    case damaged(reason: String)
    /// This run imported it; a dry run would import it.
    case imported(photos: Int, skipped: Int)
    /// Its content was imported before.
    case known
  }

  /// The inbox.
  package let inbox: Inbox
  /// The name in the inbox.
  package let name: FilePath
  /// What the run found, or did.
  package var state: State
  /// The path to which it was moved, or would be moved by a run that is no dry run.
  package var movedTo: FilePath?

  /// The path.
  package var path: FilePath { name.inFolder(inbox.path) }

  /// The file in messages: `/srv/inbox/anna/backup.zip from Anna`.
  package var label: String { path.string.escaped + (inbox.phone.map { " from \($0.escaped)" } ?? "") }

  init(_ inbox: Inbox, _ name: FilePath, _ state: State, movedTo: FilePath? = nil) {
    (self.inbox, self.name, self.state, self.movedTo) = (inbox, name, state, movedTo)
  }
}

/// What a run found in the inboxes of a job, and imported.
package struct InboxReport: Sendable {
  /// The files, except hidden ones.
  package var files: [InboxFile] = []
  /// Inboxes that cannot be used, and files that could not be moved.
  var faults: [String] = []
  /// What is missing from the library after the imports of this run.
  var missing: [String] = []
  /// Notices about the imports of this run.
  package var warnings: [String] = []
  /// When the first file that was modified within the last minute will have settled; nil if no file was.
  var nextSettling: Timestamp?

  /// The number of backups that this run imported.
  package var backupsImported: Int { files.count { $0.photosImported != nil } }
  /// The number of photos that this run added to the library.
  package var photosImported: Int { files.reduce(0) { $0 + ($1.photosImported ?? 0) } }
  /// The number of backups that cannot be imported, or are damaged.
  package var backupsUnreadable: Int { files.count { $0.problem != nil } }
  /// The number of files that are probably still being written.
  package var filesUnfinished: Int { files.count { if case .unfinished = $0.state { true } else { false } } }
  /// The number of files that were moved or deleted.
  package var filesMoved: Int { files.count { $0.movedTo != nil } }

  /// What makes the run incomplete: one message for each inbox, file or import.
  package var errors: [String] {
    faults + files.compactMap { file in file.problem.map(file.inbox.naming) } + missing
  }

  /// The issues for a run of the job.
  var issues: [Issue] {
    errors.map { .incomplete(.inbox, $0) }
      + (warnings + files.compactMap(\.skipped)).map { .warning(.inbox, $0) }
  }

  /// Returns the report of this pass and of a later one: the later pass has found the same files again, except those that
  /// were moved.
  func followed(by later: InboxReport) -> InboxReport {
    var sum = later
    let imported = files.filter { $0.photosImported != nil }
    sum.files = imported + later.files.filter { file in !imported.contains { $0.path == file.path } }
    sum.missing = missing + later.missing
    sum.warnings = warnings + later.warnings
    return sum
  }
}

extension InboxFile {
  /// Tells that the file was skipped and why, since it is probably still being written; nil if it was not skipped, or if it
  /// has a temporary name.
  package var skipped: String? {
    guard case .unfinished(let cause) = state, cause != .temporaryName else { return nil }
    return "skipped \(label): \(cause.reason)"
  }

  /// The number of photos that this run added; nil if it did not import the file.
  fileprivate var photosImported: Int? { if case .imported(let photos, _) = state { photos } else { nil } }

  /// Why the file is not imported completely; nil if it is, or if it is no finished backup.
  fileprivate var problem: String? {
    switch state {
    case .unreadable(let reason), .damaged(let reason): reason
    case .unfinished, .ignored, .imported, .known: nil
    }
  }
}

extension JobStatus.InboxRecord {
  /// Counts what a run imported.
  init(_ report: InboxReport) {
    self.init()
    (backups, photos) = (report.backupsImported, report.photosImported)
    unreadable = report.backupsUnreadable
  }
}
