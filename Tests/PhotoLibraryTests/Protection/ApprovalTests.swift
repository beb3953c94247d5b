import FileSystem
import Operations
import Secrets
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Destructive operations need a confirmation or the PIN.
struct ApprovalTests {
  let scratch: LibraryScratch
  private let right: PIN
  private let wrong: PIN

  init() throws {
    scratch = try LibraryScratch(["a.jpg": "one", "b.jpg": "two"])
    right = try #require(PIN("1234"))
    wrong = try #require(PIN("4321"))
  }

  /// What an operation may take away.
  private static let operations = [
    DestructiveOperation("do it"),
    DestructiveOperation("do it", removes: Removal(photos: 1)),
    DestructiveOperation("do it", removes: Removal(categories: 1)),
    DestructiveOperation("do it", lowers: [.kidSafeMode]),
    DestructiveOperation("do it", resetsSettings: true),
  ]

  @Test(
    "Approval: the PIN is needed if it protects deletion or a protection is lowered; otherwise a yes",
    arguments: [(false, false), (false, true), (true, false), (true, true)], operations)
  func whoIsAskedWhat(_ library: (isProtected: Bool, hasPIN: Bool), operation: DestructiveOperation) throws {
    let (isProtected, hasPIN) = library
    if hasPIN { try scratch.writer().setPIN(right) }
    if isProtected {
      try scratch.sql { try $0.execute(sql: "UPDATE settings SET deleteProtectionEnabled = 1") }
    }
    let byPIN = operation.needsConfirmation && (isProtected || !operation.lowered.isEmpty) && hasPIN
    let byYes = operation.needsConfirmation && !byPIN

    let (right, wrong) = (right, wrong)
    let pin = Authorization(pin: { _ in right }, confirms: { _ in false })
    let yes = Authorization(pin: { _ in nil }, confirms: { _ in true })
    let wrongPIN = Authorization(pin: { _ in wrong }, confirms: { _ in true })
    func isAllowed(_ authorization: Authorization) -> Bool {
      (try? LibraryWriter.approved(scratch.path, by: authorization) { _ in ((), [operation]) }) != nil
    }
    #expect(isAllowed(pin) == !byYes)
    #expect(isAllowed(yes) == !byPIN)
    #expect(isAllowed(wrongPIN) == !byPIN)
    #expect(isAllowed(.refused) == !(byPIN || byYes))
  }

  /// What another process does while the question stands open, once.
  private func authorization(
    _ questions: Questions, meanwhile: @escaping @Sendable () throws -> Void = {}
  ) -> Authorization {
    let right = right
    @Sendable func ask(_ operation: DestructiveOperation) throws {
      let isFirst = questions.asked.withLock {
        $0.append(operation.description)
        return $0.count == 1
      }
      if isFirst { try meanwhile() }
    }
    return Authorization(
      pin: {
        try ask($0)
        return right
      },
      confirms: {
        try ask($0)
        return true
      })
  }

  private final class Questions: Sendable {
    let asked = Mutex<[String]>([])
    var all: [String] { asked.withLock { $0 } }
  }

  private func removeEverything(_ authorization: Authorization) throws -> RemoveSummary {
    let selection = LibrarySelection(names: ["*.jpg"])
    let options = ChangeOptions(authorization: authorization)
    return try ChangeRun(path: scratch.path, options: options, counter: ProgressCounter()).remove(selection)
  }

  private func protect(withPIN: Bool) throws {
    if withPIN { try scratch.writer().setPIN(right) }
    try scratch.sql { try $0.execute(sql: "UPDATE settings SET deleteProtectionEnabled = 1") }
  }

  @Test("Authorization: the library is not locked while the question is open", arguments: [false, true])
  func notLockedWhileAsking(hasPIN: Bool) throws {
    try protect(withPIN: hasPIN)
    let (scratch, questions) = (scratch, Questions())
    let removed = try removeEverything(authorization(questions) { _ = try scratch.writer() })
    #expect(removed.photos.map(\.id) == [1, 2])
    #expect(questions.all == ["remove 2 photos"], "a plan that still holds is asked for once")
    #expect(try scratch.undo(authorization(Questions()) { _ = try scratch.writer() }).photosRestored == 2)
    #expect(try scratch.contents().photos.count == 2)
  }

  @Test(
    "Authorization: if the library changes meanwhile, the question is asked again", arguments: [false, true])
  func askedAgain(hasPIN: Bool) throws {
    try protect(withPIN: hasPIN)
    let (scratch, questions) = (scratch, Questions())
    let removed = try removeEverything(
      authorization(questions) { try scratch.commit(["c.jpg": "three"], as: .add, firstId: 3) })
    #expect(questions.all == ["remove 2 photos", "remove 3 photos"])
    #expect(removed.photos.map(\.id) == [1, 2, 3])
  }

  @Test("Authorization: a refusal after a change of the library changes nothing")
  func refusedAfterChange() throws {
    let (scratch, questions) = (scratch, Questions())
    let authorization = Authorization(
      pin: { _ in nil },
      confirms: { operation in
        let count = questions.asked.withLock {
          $0.append(operation.description)
          return $0.count
        }
        if count == 1 { try scratch.commit(["c.jpg": "three"], as: .add, firstId: 3) }
        return count == 1
      })
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) { try removeEverything(authorization) }
    #expect(try scratch.contents().photos.count == 3)
  }

  @Test("Authorization: a PIN that is set meanwhile is required")
  func pinSetMeanwhile() throws {
    try protect(withPIN: false)
    let (scratch, questions, right, wrong) = (scratch, Questions(), right, wrong)
    let authorization = Authorization(
      pin: { _ in wrong },
      confirms: { operation in
        questions.asked.withLock { $0.append(operation.description) }
        try scratch.writer().setPIN(right)
        return true
      })
    #expect(throws: AuthorizationError.wrongPIN(scratch.path, triesLeft: 4)) {
      try removeEverything(authorization)
    }
    #expect(questions.all.count == 1)
    #expect(try scratch.contents().photos.count == 2)
  }

  @Test("Authorization: an undo that becomes impossible meanwhile is refused")
  func undoImpossibleMeanwhile() throws {
    try protect(withPIN: false)
    let (scratch, questions) = (scratch, Questions())
    #expect(throws: UndoError.self) {
      try scratch.undo(
        authorization(questions) { try scratch.commit(["c.jpg": "three"], as: .add, firstId: 3) })
    }
    #expect(try scratch.contents().photos.count == 3)
  }
}
