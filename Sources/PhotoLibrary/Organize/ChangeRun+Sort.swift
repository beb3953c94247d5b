import Foundation
import Operations
import SystemPackage

/// What a person wants to sort.
package struct SortRequest: Sendable {
  /// The rules.
  package var rules: SortRules
  /// The categories of the photos to consider, by the displayed name or by `name`; all if empty.
  package var categories: [String] = []
  /// Considers photos again that an earlier run considered by the same rules.
  package var again = false

  /// Sorts all photos that were not considered before.
  package init(_ rules: SortRules) { self.rules = rules }
}

extension Work where Summary == SortPlan {
  /// Starts moving photos to the categories that rules say. Considers each photo once, as long as the rules are the same, and
  /// never moves a photo that a person moved. One transaction; `undo` takes the moves back. Files stay in their places, as
  /// with `organize`.
  ///
  /// The summary throws `LibraryError`, `FileLock.Busy` or `FileError`; nothing has changed then.
  package static func sort(
    _ request: SortRequest, in library: FilePath, options: ChangeOptions = ChangeOptions()
  ) -> Self {
    Work { counter in
      try ChangeRun(path: library, options: options, counter: counter).sort(request)
    }
  }
}

extension ChangeRun {
  func sort(_ request: SortRequest) throws -> SortPlan {
    let (plan, _, writer) = try options.approve(path, counter) { library in
      let contents = try library.contents()
      let history = try library.read { try SortHistory($0, rules: request.rules.digest) }
      let plan = try SortPlan(contents, history, request, now: .now) { photo in
        try library.hasIntactFile(of: photo, whileReading: counter.checkCancellation)
      }
      return (plan, [])
    }
    guard let writer else { return plan }
    if plan.moves.edit.isEmpty {
      try counter.checkCancellation()
      counter.enter(.committing)
      // marks alone are no change that a person could want to undo
      if !plan.marks.photos.isEmpty { try writer.transaction(plan.marks.insert) }
    } else {
      try writer.commit(plan.edit, as: .sort, counter)
    }
    return plan
  }
}
