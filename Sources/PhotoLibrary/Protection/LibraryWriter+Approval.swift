import FileSystem
internal import GRDB
import SystemPackage

extension LibraryWriter {
  /// Opens a library for an operation that may need a confirmation or the PIN, and plans it. The library is not locked
  /// while the question is open, so that other processes do not wait for the user. If the library has changed by the
  /// time of the answer, the operation is planned again, and asked about again.
  ///
  /// - Parameters:
  ///   - leftovers: what to do with the staged files of interrupted operations.
  ///   - plan: makes the plan, and describes the operation. The library is locked meanwhile.
  /// - Returns: the library, locked, and the plan for the state that it is in.
  /// - Throws: what `init` throws, `AuthorizationError`, or what the authorization's functions or `plan` throw.
  public static func approved<Plan>(
    _ path: FilePath, by authorization: Authorization, lockWait: Duration = .zero,
    syncs: Bool = true, leftovers: LeftoverFiles.Treatment = .remove,
    whileWaiting: () throws -> Void = {},
    plan: (LibraryWriter) throws -> (plan: Plan, operation: DestructiveOperation)
  ) throws -> (writer: LibraryWriter, plan: Plan) {
    var approval: (plan: Plan, question: Question, pin: PIN?)?
    while true {
      let asked: (plan: Plan, question: Question)
      do {
        let writer = try LibraryWriter(
          path: path, lockWait: lockWait, syncs: syncs, leftovers: leftovers, whileWaiting: whileWaiting)
        if let approval, try writer.question(for: approval.question.operation) == approval.question {
          if let pin = approval.pin { try writer.check(pin) }
          return (writer, approval.plan)
        }
        let (plan, operation) = try plan(writer)
        guard let question = try writer.question(for: operation) else { return (writer, plan) }
        asked = (plan, question)
      }
      approval = (asked.plan, asked.question, try asked.question.put(to: authorization, path))
    }
  }

  /// Returns the question before an operation; nil if it needs no confirmation.
  private func question(for operation: DestructiveOperation) throws -> Question? {
    guard operation.needsConfirmation else { return nil }
    // the PIN guards the protections even if delete protection is off
    let isProtected =
      try !operation.lowered.isEmpty || library.storedSettings().strictest.deleteProtectionEnabled
    let wantsPIN = try isProtected && library.hasPIN()
    let state = try library.read { try Change.Record.newest($0) }
    return Question(operation: operation, wantsPIN: wantsPIN, state: state?.id)
  }
}

/// The question before a destructive operation: for the PIN if the operation lowers a protection or deletion is protected,
/// and the library has a PIN; otherwise for a confirmation.
private struct Question: Equatable {
  let operation: DestructiveOperation
  let wantsPIN: Bool
  /// The last change of the library that the operation was planned for.
  let state: String?

  /// Blocks as long as a person needs.
  ///
  /// - Returns: the PIN, which is still to be compared.
  func put(to authorization: Authorization, _ path: FilePath) throws -> PIN? {
    if wantsPIN {
      guard let pin = try authorization.pin(operation) else { throw AuthorizationError.pinNeeded(path) }
      return pin
    }
    guard try authorization.confirms(operation) else { throw AuthorizationError.notConfirmed(path) }
    return nil
  }
}
