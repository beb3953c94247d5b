import FileSystem
import Operations
import SystemPackage

/// Authorizes and confirms destructive operations. The caller gives both functions. They are called on the thread that
/// works, before anything is written, and while the library is not locked, so that a person can take their time.
/// They are called again if the library has changed meanwhile.
public struct Authorization: Sendable {
  /// Returns the library's PIN, where the library has one and deletion is protected or a protection is turned off; nil if
  /// the caller has no PIN.
  public var pin: @Sendable (DestructiveOperation) throws -> PIN?
  /// Answers yes or no, where no PIN is needed.
  public var confirms: @Sendable (DestructiveOperation) throws -> Bool

  /// Makes an authorization of the two functions.
  public init(
    pin: @escaping @Sendable (DestructiveOperation) throws -> PIN?,
    confirms: @escaping @Sendable (DestructiveOperation) throws -> Bool
  ) {
    self.pin = pin
    self.confirms = confirms
  }

  /// Refuses everything.
  public static let refused = Authorization(pin: { _ in nil }, confirms: { _ in false })
}

/// Why a destructive operation was not carried out. Nothing was touched.
public enum AuthorizationError: ExplainedError, Equatable, Sendable, CustomStringConvertible {
  /// The answer was no.
  case notConfirmed(FilePath)
  /// Deletion is protected by a PIN, and none was given.
  case pinNeeded(FilePath)
  /// The PIN is another; so many tries are left before a pause.
  case wrongPIN(FilePath, triesLeft: Int)
  /// Too many wrong PINs; so many seconds are left to wait.
  case coolingDown(FilePath, seconds: Int)

  /// One line for the user.
  public var description: String { message.escaped }

  /// Why the operation failed.
  public var cause: ErrorCause { if case .notConfirmed = self { .other } else { .password } }

  /// What to do about the error.
  public var remedy: Remedy? { if case .pinNeeded = self { .givePIN } else { nil } }

  private var message: String {
    switch self {
    case .notConfirmed(let path): "not confirmed; \(path) was not changed"
    case .pinNeeded(let path):
      "\(path) is protected by a PIN"
    case .wrongPIN(let path, let tries):
      "wrong PIN for \(path); \(Count(tries, "try is", "tries are")) left before a pause of 30 seconds"
    case .coolingDown(let path, let seconds):
      "too many wrong PINs for \(path); wait \(Count(seconds, "second")), then try again"
    }
  }
}
