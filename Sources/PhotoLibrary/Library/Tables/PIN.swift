import Crypto
import CryptoExtras
internal import Databases
import Foundation
internal import GRDB
import Secrets

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
  var lockedUntil: Timestamp

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
    lockedUntil = Timestamp(rawValue: try record.integer("lockedUntil", in: 0...Self.latestPause))
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
