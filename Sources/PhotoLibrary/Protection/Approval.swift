import FileSystem
import GRDB
import SystemPackage

extension LibraryWriter {
  /// Opens a library for something that somebody may have to approve, and plans it. While the question stands open
  /// nobody has the lock, so that others who change the library do not wait for a person. If it has changed by the
  /// time of the answer, it is planned, and asked, again.
  ///
  /// - Parameter plan: makes the plan, and names the deed if there is anything to approve. The library is locked
  ///   meanwhile.
  /// - Returns: the library, locked, and the plan for the state that it is in.
  /// - Throws: what `init` throws, `ConsentError`, or what the consent's functions or `plan` throw.
  public static func approved<Plan>(
    _ path: FilePath, by consent: Consent, lockWait: Duration = .zero,
    syncs: Bool = true, whileWaiting: () throws -> Void = {},
    plan: (LibraryWriter) throws -> (plan: Plan, deed: Deed?)
  ) throws -> (writer: LibraryWriter, plan: Plan) {
    var approval: (plan: Plan, question: Question, pin: PIN?)?
    while true {
      let asked: (plan: Plan, question: Question)
      do {
        let writer = try LibraryWriter(
          path: path, lockWait: lockWait, syncs: syncs, whileWaiting: whileWaiting)
        if let approval, try writer.question(for: approval.question.deed) == approval.question {
          if let pin = approval.pin { try writer.check(pin) }
          return (writer, approval.plan)
        }
        let (plan, deed) = try plan(writer)
        guard let deed, let question = try writer.question(for: deed) else { return (writer, plan) }
        asked = (plan, question)
      }
      approval = (asked.plan, asked.question, try asked.question.put(to: consent, path))
    }
  }

  /// What somebody has to be asked before a deed; nil if nothing.
  private func question(for deed: Deed) throws -> Question? {
    let isProtected = try library.contents().settings.deleteProtectionEnabled
    let wantsPIN = try isProtected && library.hasPIN()
    guard isProtected || deed.alwaysConfirmed else { return nil }
    let state = try library.read { try Change.Record.newest($0) }
    return Question(deed: deed, wantsPIN: wantsPIN, state: state?.id)
  }
}

/// What is asked before a deed: for the PIN where deletion is protected by one, for a confirmation where it is
/// protected without, or where the deed wants one.
private struct Question: Equatable {
  let deed: Deed
  let wantsPIN: Bool
  /// The last change of the library that the deed was planned for.
  let state: String?

  /// Blocks as long as a person needs.
  ///
  /// - Returns: the PIN, which is still to be compared.
  func put(to consent: Consent, _ path: FilePath) throws -> PIN? {
    if wantsPIN {
      guard let pin = try consent.pin(deed) else { throw ConsentError.pinNeeded(path) }
      return pin
    }
    guard try consent.confirms(deed) else { throw ConsentError.notConfirmed(path) }
    return nil
  }
}
