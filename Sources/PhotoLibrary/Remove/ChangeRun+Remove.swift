import FileSystem
import Operations
import SystemPackage

/// The result of `remove`.
public struct RemoveSummary: Sendable, Equatable {
  /// The removed photos.
  public var photos: [Photo] = []
  /// The removed categories.
  public var categories: [Category] = []
  /// Bytes of the photos' files.
  public var bytes = 0
  /// Photos whose files were missing, unreadable or changed by another program, so that an undo may not bring them back
  /// as they were.
  public var missing: [Finding] = []
  /// Nothing was written.
  public var isDryRun = false
}

extension RemoveSummary: RecordedSummary {
  /// The part that a recorder records.
  public var recorded: OperationResult { OperationResult(OperationResult.Counts(removed: photos.count)) }
}

extension Work where Summary == RemoveSummary {
  /// Starts removing photos from a library. Their files move to `.undo`, and `undo` brings everything back until the
  /// next import or remove. The library records what was removed.
  ///
  /// The summary throws `LibraryError.noSuchPhoto` or `.noSuchCategory` if the selection matches nothing,
  /// `KeptPhotoNotIntact`, `AuthorizationError`, `FileLock.Busy` or `FileError`.
  ///
  /// - Parameter kept: the IDs of photos that must be in the library with intact files, since they are kept in the place of
  ///   removed ones.
  public static func remove(
    _ selection: LibrarySelection, from library: FilePath, keeping kept: [Int64] = [],
    options: ChangeOptions = ChangeOptions()
  ) -> Self {
    let operation = RecordedOperation(.remove, ofLibrary: library, isDryRun: options.isDryRun)
    return Work(operation, by: options.recorder) { counter in
      try ChangeRun(path: library, options: options, counter: counter).remove(selection, keeping: kept)
    }
  }
}

extension ChangeRun {
  func remove(_ selection: LibrarySelection, keeping kept: [Int64] = []) throws -> RemoveSummary {
    let (plan, library, writer) = try options.approve(path, counter) { library in
      let plan = try RemovePlan(library.contents(), selection)
      try check(kept, library)
      return (plan, [DestructiveOperation(question(plan), removes: plan.removal)])
    }
    let summary = RemoveSummary(
      photos: plan.photos, categories: plan.categories, bytes: plan.bytes,
      missing: try library.findings(beforeRemoving: plan.photos, counter), isDryRun: options.isDryRun)
    try writer?.commit(plan.edit, as: .remove, counter)
    return summary
  }

  /// Reads the whole files of the photos that are kept, except assets, and compares their checksums. Blocks.
  ///
  /// - Throws: `KeptPhotoNotIntact`; `LibraryError.noSuchPhoto` if the library has no photo with one of the IDs;
  ///   `FileError` for an environment failure; `CancellationError`.
  private func check(_ kept: [Int64], _ library: Library) throws {
    guard !kept.isEmpty else { return }
    var selection = LibrarySelection()
    selection.ids = kept
    let contents = try library.contents()
    for photo in try selection.photos(of: contents) where !photo.isFromAssets {
      let isIntact = try library.hasIntactFile(of: photo, whileReading: counter.checkCancellation)
      if !isIntact { throw KeptPhotoNotIntact(label: contents.label(of: photo)) }
    }
  }

  private func question(_ plan: RemovePlan) -> String {
    let names = plan.categories.map { "“\($0.displayName)”" }.joined(separator: ", ")
    return "remove \(plan.removal)" + (names.isEmpty ? "" : " (\(names))")
  }
}

/// A photo that is kept in the place of removed ones is missing or corrupt. Nothing was removed.
public struct KeptPhotoNotIntact: ExplainedError, Equatable, CustomStringConvertible {
  let label: Finding.Subject

  /// One line for the user.
  public var description: String {
    "\(label), which is to be kept, is missing or corrupt; nothing was removed"
  }

  /// Why the operation failed.
  public var cause: ErrorCause { .other }

  /// Repair the library.
  public var remedy: Remedy? { .repairLibrary }
}

extension Library {
  /// Returns the photos that an undo of their removal may not bring back as they were, and why: their files are missing,
  /// unreadable, or changed by another program. Blocks.
  func findings(beforeRemoving photos: [Photo], _ counter: ProgressCounter) throws -> [Finding] {
    let categories = try categories()
    return try photos.filter { !$0.isFromAssets }.compactMap { photo in
      let label = categories.label(of: photo)
      switch status(of: photo) {
      case .failure(let error):
        let what =
          error.isMissing
          ? "its file is missing, so undo cannot restore it"
          : "its file cannot be read, so undo possibly cannot restore it"
        return Finding(label, "\(what): \(error)")
      case .success:
        guard try isChanged(photo, whileReading: counter.checkCancellation) else { return nil }
        return Finding(
          label, "another program has changed its file \(photo.path.escaped), which stays there")
      }
    }
  }
}
