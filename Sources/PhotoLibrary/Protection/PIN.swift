import Crypto
import CryptoExtras
internal import Databases
import FileSystem
import Foundation
internal import GRDB
import Operations
import Secrets
import SystemPackage

/// A PIN of four to six digits, as in the apps. It is never printed, logged or exported.
public struct PIN: Sendable {
  fileprivate let digits: Secret

  /// Makes a PIN; nil if the text is not four to six ASCII digits.
  public init?(_ secret: Secret) {
    let isPIN = secret.withBytes { digits in
      (4...6).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
    guard isPIN else { return nil }
    digits = secret
  }
}

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

extension Library {
  /// Returns true if this library has a PIN of its own, which is not the PIN of a phone in a backup.
  public func hasPIN() throws -> Bool {
    try read { database in
      try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT * FROM pin)") ?? false
    }
  }
}

/// The row of a PIN: a salted PBKDF2-HMAC-SHA256 hash, and the failed attempts.
struct PINRecord: Sendable {
  static let rounds = 600_000
  static let tries = 5
  static let pause: Int64 = 30_000
  /// The greatest number of rounds that is computed: some seconds of a slow processor.
  static let mostRounds: Int64 = 10_000_000
  /// The last date of JavaScript, in milliseconds since 1970.
  static let latestPause: Int64 = 8_640_000_000_000_000
  static let saltSize = SymmetricKeySize.bits256

  var salt: Data
  var hash: SymmetricKey
  var rounds: Int
  var failures: Int
  /// In milliseconds since 1970.
  var lockedUntil: Int64

  init(_ pin: PIN) throws {
    salt = SymmetricKey(size: Self.saltSize).withUnsafeBytes { Data($0) }
    rounds = Self.rounds
    hash = try Self.hash(pin, salt, rounds)
    failures = 0
    lockedUntil = 0
  }

  init?(_ database: Database) throws {
    guard let record = try database.firstRow("SELECT * FROM pin", of: "pin", { try Self($0) }) else {
      return nil
    }
    self = record
  }

  private init(_ record: RowReader) throws {
    salt = try record.bytes("salt", count: 32...32)
    hash = SymmetricKey(data: try record.bytes("hash", count: 32...32))
    rounds = Int(try record.integer("rounds", in: 1...Self.mostRounds))
    failures = Int(try record.integer("failures", in: 0...Int64(Self.tries)))
    lockedUntil = try record.integer("lockedUntil", in: 0...Self.latestPause)
  }

  func save(_ database: Database) throws {
    try database.execute(
      sql:
        "INSERT OR REPLACE INTO pin (id, salt, hash, rounds, failures, lockedUntil) VALUES (1, ?, ?, ?, ?, ?)",
      arguments: [salt, hash.withUnsafeBytes { Data($0) }, rounds, failures, lockedUntil])
  }

  /// Compares in constant time, as `SymmetricKey` does.
  func matches(_ pin: PIN) throws -> Bool { try Self.hash(pin, salt, rounds) == hash }

  private static func hash(_ pin: PIN, _ salt: Data, _ rounds: Int) throws -> SymmetricKey {
    // uses the memory of the secret, which is wiped; a copy in a Data would not be
    try pin.digits.withBytes { digits in
      try KDF.Insecure.PBKDF2.deriveKey(
        from: digits, salt: salt, using: .sha256, outputByteCount: 32, rounds: rounds)
    }
  }
}

extension LibraryWriter {
  /// Sets the PIN of a library that has none. Durable when it returns.
  ///
  /// - Throws: `PINError.alreadySet`.
  public func setPIN(_ pin: PIN) throws {
    guard try !library.hasPIN() else { throw PINError.alreadySet(library.path) }
    let record = try PINRecord(pin)
    try save(record)
  }

  /// Changes the PIN, if the old one is right.
  ///
  /// - Throws: `PINError.notSet`, or `AuthorizationError` if the old PIN is wrong.
  public func changePIN(_ old: PIN, to new: PIN) throws {
    try check(old)
    let record = try PINRecord(new)
    try save(record)
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
  /// - Parameter now: the time, in milliseconds since 1970.
  /// - Throws: `AuthorizationError.wrongPIN`, `.coolingDown`, or `PINError.notSet`.
  func check(_ pin: PIN, now: Int64 = Date().milliseconds) throws {
    guard var record = try library.read({ try PINRecord($0) }) else { throw PINError.notSet(library.path) }
    if record.lockedUntil - now > PINRecord.pause {
      // the clock was set back; a pause that ends by the old clock could last for years
      record.lockedUntil = max(0, now + PINRecord.pause)
      try write(record.save)
    }
    let rest = min(record.lockedUntil - now, PINRecord.pause)
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
