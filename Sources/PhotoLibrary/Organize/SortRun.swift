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
      try SortRun(path: library, options: options, counter: counter).run(request)
    }
  }
}

/// One run of `sort`.
struct SortRun {
  let path: FilePath
  let options: ChangeOptions
  let counter: ProgressCounter

  func run(_ request: SortRequest) throws -> SortPlan {
    let (plan, _, writer) = try options.approve(path, whileWaiting: counter.reportWaitingForLock) { library in
      (try makePlan(request, library), [])
    }
    guard let writer else { return plan }
    if plan.moves.edit.isEmpty {
      try counter.checkCancellation()
      counter.enter(.committing)
      // marks alone are no change that a person could want to undo
      try writer.insert(plan.marks)
    } else {
      try writer.commit(plan.edit, as: .sort, counter)
    }
    return plan
  }

  private func makePlan(_ request: SortRequest, _ library: Library) throws -> SortPlan {
    let contents = try library.contents()
    let history = try library.read { try SortHistory($0, rules: request.rules.digest) }
    return try SortPlan(contents, history, request, now: Date().milliseconds) { photo in
      try library.hasIntactFile(of: photo, whileReading: counter.checkCancellation)
    }
  }
}

extension LibraryWriter {
  /// Marks photos as considered by `sort`, in one transaction. Writes nothing if there is nothing to mark.
  fileprivate func insert(_ marks: SortMarks) throws {
    guard !marks.photos.isEmpty else { return }
    try transaction { try marks.insert($0) }
  }
}
