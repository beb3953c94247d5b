import Foundation
import Operations
import SystemPackage

extension Work where Summary == OrganizePlan {
  /// Starts organizing a library: one transaction changes rows, and `undo` takes it back. Files stay in their places; only
  /// the file of a photo that becomes one with an equal photo moves to `.undo`. Writes nothing if nothing changes.
  ///
  /// The summary throws `OrganizeError`, `LibraryError`, `AuthorizationError`, `FileLock.Busy` or `FileError`; nothing
  /// has changed then.
  package static func organize(
    _ request: OrganizeRequest, in library: FilePath, options: ChangeOptions = ChangeOptions()
  ) -> Self {
    Work { counter in
      try ChangeRun(path: library, options: options, counter: counter).organize(request)
    }
  }
}

extension ChangeRun {
  func organize(_ request: OrganizeRequest) throws -> OrganizePlan {
    let (plan, _, writer) = try options.approve(path, counter) { library in
      let plan = try OrganizePlan(library.contents(), request, now: .now) { photo in
        try library.hasIntactFile(of: photo, whileReading: counter.checkCancellation)
      }
      return (plan, [plan.operation])
    }
    try writer?.commit(plan.edit, as: .organize, counter)
    return plan
  }
}
