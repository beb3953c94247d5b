import FileSystem
import Operations
import SystemPackage

/// Options of a change that may need a confirmation: an undo, a removal, a reorganization, a change of settings.
public struct ChangeOptions: ApprovedOptions {
  /// Only reports what would change.
  public var isDryRun = false
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// Confirms a change that removes something or turns off a protection, or gives the library's PIN.
  public var authorization = Authorization.refused
  /// Records an undo or a removal.
  public var recorder: (any OperationRecorder)?

  /// The defaults.
  public init() {}
}

/// What the options of all changes that may need a confirmation have.
protocol ApprovedOptions: Sendable {
  var isDryRun: Bool { get }
  var lockWait: Duration { get }
  var authorization: Authorization { get }
}

/// One run of an undo, a removal, a reorganization or a sorting.
struct ChangeRun {
  let path: FilePath
  let options: ChangeOptions
  let counter: ProgressCounter
}

extension ApprovedOptions {
  /// Plans a change, and asks for what it needs, unless this is a dry run. See `LibraryWriter.approved`.
  ///
  /// - Returns: the plan, the library for which it was made, and the library opened for writing; nil for a dry run.
  func approve<Plan>(
    _ path: FilePath, _ counter: ProgressCounter = ProgressCounter(),
    leftovers: LeftoverFiles.Treatment = .remove,
    plan: (Library) throws -> (plan: Plan, operations: [DestructiveOperation])
  ) throws -> (plan: Plan, library: Library, writer: LibraryWriter?) {
    if isDryRun {
      let library = try Library(path: path)
      return (try plan(library).plan, library, nil)
    }
    let (writer, plan) = try LibraryWriter.approved(
      path, by: authorization, lockWait: lockWait, leftovers: leftovers,
      whileWaiting: counter.reportWaitingForLock
    ) { try plan($0.library) }
    return (plan, writer.library, writer)
  }
}

extension LibraryWriter {
  /// Makes a change without files, unless it changes nothing. Durable when it returns.
  ///
  /// - Throws: `CancellationError` before anything is written; what `change` throws.
  func commit(_ edit: LibraryEdit, as kind: Change.Kind, _ counter: ProgressCounter) throws {
    guard !edit.isEmpty else { return }
    try counter.checkCancellation()
    counter.enter(.committing)
    try change(kind) { try $0.commit(edit) }
  }
}
