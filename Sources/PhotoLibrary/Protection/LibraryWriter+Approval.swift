import SystemPackage

extension LibraryWriter {
  /// Opens a library for operations that may need a confirmation or the PIN, and plans them. The library is not locked
  /// while a question is open, so that other processes do not wait for the user. If the library has changed by the time
  /// of the answers, the operations are planned again, and asked about again. If one answer is no, none may be carried
  /// out.
  ///
  /// - Parameters:
  ///   - leftovers: what to do with the staged files of interrupted operations.
  ///   - plan: makes the plan, and describes its operations. The library is locked meanwhile.
  /// - Returns: the library, locked, and the plan for the state that it is in.
  /// - Throws: what `init` throws, `AuthorizationError`, or what the authorization's functions or `plan` throw.
  public static func approved<Plan>(
    _ path: FilePath, by authorization: Authorization, lockWait: Duration = .zero,
    syncs: Bool = true, leftovers: LeftoverFiles.Treatment = .remove,
    whileWaiting: () throws -> Void = {},
    plan: (LibraryWriter) throws -> (plan: Plan, operations: [DestructiveOperation])
  ) throws -> (writer: LibraryWriter, plan: Plan) {
    var approval: (plan: Plan, questions: Questions, pins: [PIN])?
    while true {
      let asked: (plan: Plan, questions: Questions)
      do {
        let writer = try LibraryWriter(
          path: path, lockWait: lockWait, syncs: syncs, leftovers: leftovers, whileWaiting: whileWaiting)
        if let approval, try writer.questions(for: approval.questions.operations) == approval.questions {
          for pin in approval.pins { try writer.check(pin) }
          return (writer, approval.plan)
        }
        let (plan, operations) = try plan(writer)
        guard let questions = try writer.questions(for: operations) else { return (writer, plan) }
        asked = (plan, questions)
      }
      approval = (asked.plan, asked.questions, try asked.questions.put(to: authorization, path))
    }
  }

  /// Returns the questions before some operations; nil if none of them needs a confirmation.
  private func questions(for operations: [DestructiveOperation]) throws -> Questions? {
    let operations = operations.filter(\.needsConfirmation)
    guard !operations.isEmpty else { return nil }
    // the PIN guards the protections even if delete protection is off
    let isProtected =
      try operations.contains { !$0.lowered.isEmpty }
      || library.storedSettings().strictest.deleteProtectionEnabled
    let wantsPIN = try isProtected && library.hasPIN()
    let state = try library.read { try Change.Record.newest($0) }
    return Questions(operations: operations, wantsPIN: wantsPIN, state: state?.id)
  }
}

/// The questions before destructive operations: for the PIN if an operation lowers a protection or deletion is protected,
/// and the library has a PIN; otherwise for a confirmation.
private struct Questions: Equatable {
  let operations: [DestructiveOperation]
  let wantsPIN: Bool
  /// The last change of the library that the operations were planned for.
  let state: String?

  /// Blocks as long as a person needs.
  ///
  /// - Returns: the PINs, which are still to be compared.
  func put(to authorization: Authorization, _ path: FilePath) throws -> [PIN] {
    var pins: [PIN] = []
    for operation in operations {
      if wantsPIN, operation.needsPIN {
        guard let pin = try authorization.pin(operation) else { throw AuthorizationError.pinNeeded(path) }
        pins.append(pin)
      } else if try !authorization.confirms(operation) {
        throw AuthorizationError.notConfirmed(path)
      }
    }
    return pins
  }
}
