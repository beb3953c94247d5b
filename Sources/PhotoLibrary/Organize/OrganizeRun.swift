import FileSystem
import Foundation
import Operations
import SystemPackage

/// Options of organizing.
package struct OrganizeOptions: Sendable {
  /// Only reports what would change.
  package var isDryRun = false
  /// How long to wait for another writer.
  package var lockWait: Duration = .zero
  /// Confirms the removal of a category, or gives the library's PIN.
  package var authorization = Authorization.refused

  /// The defaults.
  package init() {}
}

extension Work where Summary == OrganizePlan {
  /// Starts organizing a library: one transaction changes rows, and `undo` takes it back. Files stay in their places; only
  /// the file of a photo that becomes one with an equal photo moves to `.undo`. Writes nothing if nothing changes.
  ///
  /// The summary throws `OrganizeError`, `LibraryError`, `AuthorizationError`, `FileLock.Busy` or `FileError`; nothing
  /// has changed then.
  package static func organize(
    _ request: OrganizeRequest, in library: FilePath, options: OrganizeOptions = OrganizeOptions()
  ) -> Self {
    Work { counter in
      try OrganizeRun(path: library, options: options, counter: counter).run(request)
    }
  }
}

/// One run that organizes a library.
struct OrganizeRun {
  let path: FilePath
  let options: OrganizeOptions
  let counter: ProgressCounter

  func run(_ request: OrganizeRequest) throws -> OrganizePlan {
    if options.isDryRun { return try makePlan(request, Library(path: path)) }
    let (writer, plan) = try LibraryWriter.approved(
      path, by: options.authorization, lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock
    ) { writer in
      let plan = try makePlan(request, writer.library)
      return (plan, plan.operation)
    }
    guard !plan.edit.isEmpty else { return plan }
    try counter.checkCancellation()
    counter.enter(.committing)
    try writer.change(.organize) { try $0.commit(plan.edit) }
    return plan
  }

  private func makePlan(_ request: OrganizeRequest, _ library: Library) throws -> OrganizePlan {
    let contents = try library.contents()
    return try OrganizePlan(contents, request, now: Date().milliseconds) { photo in
      try library.hasIntactFile(of: photo, whileReading: counter.checkCancellation)
    }
  }
}
