import FileSystem
import Foundation
internal import GRDB
import Operations
import SystemPackage

/// Why a PIN was not set or removed.
public enum PINError: ExplainedError, Equatable, Sendable, CustomStringConvertible {
  /// It is not four to six digits.
  case notAPIN
  /// The library has a PIN already.
  case alreadySet(FilePath)
  /// The library has no PIN.
  case notSet(FilePath)
  /// The library has no PIN that could be removed.
  case nothingToRemove(FilePath)

  /// One line for the user.
  public var description: String {
    switch self {
    case .notAPIN: "a PIN has four to six digits"
    case .alreadySet(let path): "\(path) already has a PIN".escaped
    case .notSet(let path), .nothingToRemove(let path): "\(path) has no PIN".escaped
    }
  }

  /// Why the operation failed.
  public var cause: ErrorCause { if case .notAPIN = self { .password } else { .other } }

  /// What to do about the error.
  public var remedy: Remedy? {
    switch self {
    case .notAPIN, .nothingToRemove: nil
    case .alreadySet: .changePIN
    case .notSet: .setPIN
    }
  }
}

extension LibraryWriter {
  /// Sets the PIN of a library that has none. Durable when it returns.
  ///
  /// - Throws: `PINError.alreadySet`.
  public func setPIN(_ pin: PIN) throws {
    guard try !library.hasPIN() else { throw PINError.alreadySet(library.path) }
    try save(PINRecord(pin))
  }

  /// Changes the PIN, if the old one is right.
  ///
  /// - Throws: `PINError.notSet`, or `AuthorizationError` if the old PIN is wrong.
  public func changePIN(_ old: PIN, to new: PIN) throws {
    try check(old)
    try save(PINRecord(new))
  }

  /// Removes the PIN, if it is right.
  ///
  /// - Throws: `PINError.notSet`, or `AuthorizationError` if the PIN is wrong.
  public func removePIN(_ pin: PIN) throws {
    try check(pin)
    try deletePIN()
  }

  /// Removes the PIN, which the caller has compared. Does nothing if the library has no PIN.
  func deletePIN() throws { try write { try $0.execute(sql: "DELETE FROM pin") } }

  /// Saves a PIN. After a failure, the former PIN stays valid.
  private func save(_ record: PINRecord) throws {
    do {
      try write(record.save)
    } catch {
      try? makeCommitDurable(after: error)
      throw error
    }
  }

  /// Compares a PIN with the library's. An attempt is counted durably before the comparison, so that killing the
  /// process does not give another attempt. After five wrong PINs, there is a pause of 30 seconds.
  ///
  /// - Throws: `AuthorizationError.wrongPIN`, `.coolingDown`, or `PINError.notSet`.
  func check(_ pin: PIN, now: Timestamp = .now) throws {
    guard var record = try library.read({ try PINRecord($0) }) else { throw PINError.notSet(library.path) }
    if record.lockedUntil.milliseconds(since: now) > PINRecord.pause {
      // the clock was set back; a pause that ends by the old clock could last for years
      record.lockedUntil = max(0, now + PINRecord.pause)
      try write(record.save)
    }
    let rest = min(record.lockedUntil.milliseconds(since: now), PINRecord.pause)
    guard rest <= 0 else {
      throw AuthorizationError.coolingDown(library.path, seconds: Int((rest + 999) / 1000))
    }
    record.failures = record.failures % PINRecord.tries + 1
    record.lockedUntil = record.failures == PINRecord.tries ? now + PINRecord.pause : 0
    try write(record.save)
    guard try record.matches(pin) else {
      throw record.failures == PINRecord.tries
        ? AuthorizationError.coolingDown(library.path, seconds: Int(PINRecord.pause / 1000))
        : AuthorizationError.wrongPIN(library.path, triesLeft: PINRecord.tries - record.failures)
    }
    record.failures = 0
    record.lockedUntil = 0
    try write(record.save)
  }
}
