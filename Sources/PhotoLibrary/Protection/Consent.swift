import FileSystem
import SystemPackage

/// Something that takes photos away, as a question names it.
public struct Deed: Sendable, Equatable {
  /// In the infinitive, as `remove 12 photos`.
  public var description: String
  /// It is asked for even where deletion is not protected.
  public var alwaysConfirmed = false

  /// Makes a deed.
  public init(_ description: String, alwaysConfirmed: Bool = false) {
    self.description = description
    self.alwaysConfirmed = alwaysConfirmed
  }
}

/// How whoever asks for something that takes photos away shows that they may. Both functions are called on the
/// thread that works, before anything is written, and while the library is not locked: a person may take their time.
/// They are called again where the library has changed meanwhile.
public struct Consent: Sendable {
  /// Gives the library's PIN, where deletion is protected and the library has one; nil if nobody gives it.
  public var pin: @Sendable (Deed) throws -> PIN?
  /// Answers yes or no, where deletion is protected and there is no PIN, and for deeds that are always confirmed.
  public var confirms: @Sendable (Deed) throws -> Bool

  /// Makes a consent of the two functions.
  public init(
    pin: @escaping @Sendable (Deed) throws -> PIN?, confirms: @escaping @Sendable (Deed) throws -> Bool
  ) {
    self.pin = pin
    self.confirms = confirms
  }

  /// Nobody is there to ask.
  public static let refused = Consent(pin: { _ in nil }, confirms: { _ in false })
}

/// Why something that takes photos away was not done. Nothing was touched.
public enum ConsentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The answer was no.
  case notConfirmed(FilePath)
  /// Deletion is protected by a PIN, and none was given.
  case pinNeeded(FilePath)
  /// The PIN is another; so many tries are left before a pause.
  case wrongPIN(FilePath, triesLeft: Int)
  /// Too many wrong PINs; so many seconds are left to wait.
  case coolingDown(FilePath, seconds: Int)

  /// One line for a person.
  public var description: String { message.escaped }

  private var message: String {
    switch self {
    case .notConfirmed(let path): "not confirmed; \(path) was not changed"
    case .pinNeeded(let path):
      "\(path) is protected by a PIN; give it with --pin-file, --pin-command, --pin-fd or SMILEPILE_PIN, or at a "
        + "terminal"
    case .wrongPIN(let path, let tries):
      "wrong PIN for \(path); \(Count(tries, "try is", "tries are")) left before a pause of 30 seconds"
    case .coolingDown(let path, let seconds):
      "too many wrong PINs for \(path); wait \(seconds) seconds, then try again"
    }
  }
}
