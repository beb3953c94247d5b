import FileSystem
import Foundation
import GRDB
import Secrets
import TestSupport
import Testing

@testable import PhotoLibrary

struct PINTests {
  let scratch: LibraryScratch
  private let right: PIN
  private let wrong: PIN

  init() throws {
    scratch = try LibraryScratch()
    right = try #require(PIN(Secret("1234")))
    wrong = try #require(PIN(Secret("4321")))
  }

  @Test(
    "PIN: four to six ASCII digits",
    arguments: [
      ("1234", true), ("123456", true), ("00000", true), ("123", false), ("1234567", false), ("12a4", false),
      ("", false),
      ("１２３４", false), (" 1234", false), ("12 4", false),
    ])
  func digits(text: String, isPIN: Bool) { #expect((PIN(Secret(text)) != nil) == isPIN) }

  @Test("PIN: it is never printed")
  func secrecy() {
    #expect(!"\(right)".contains("1234"))
    #expect(!String(reflecting: right).contains("1234"))
    var dumped = ""
    dump(right, to: &dumped)
    #expect(!dumped.contains("1234"))
    #expect(!dumped.contains("49"))
  }

  @Test("PIN: it can be set, changed and removed")
  func lifecycle() throws {
    let writer = try scratch.writer()
    #expect(try !writer.library.hasPIN())
    #expect(throws: PINError.notSet(scratch.path)) { try writer.removePIN(right) }
    try writer.setPIN(right)
    #expect(throws: PINError.alreadySet(scratch.path)) { try writer.setPIN(wrong) }
    #expect(throws: AuthorizationError.wrongPIN(scratch.path, triesLeft: 4)) {
      try writer.changePIN(wrong, to: wrong)
    }
    try writer.changePIN(right, to: wrong)
    #expect(throws: AuthorizationError.self) { try writer.check(right) }
    try writer.removePIN(wrong)
    #expect(try !writer.library.hasPIN())
  }

  @Test("PIN: the database has a salted hash")
  func row() throws {
    try scratch.writer().setPIN(right)
    let other = try LibraryScratch()
    try other.writer().setPIN(right)
    let rows = try [scratch, other].map { try $0.sql { try Row.fetchOne($0, sql: "SELECT * FROM pin") } }
    let (one, two) = (try #require(rows[0]), try #require(rows[1]))
    #expect(one["rounds"] as Int == 600_000)
    #expect((one["salt"] as Data).count == 32)
    #expect((one["hash"] as Data).count == 32)
    #expect(one["salt"] as Data != two["salt"] as Data)
    #expect(one["hash"] as Data != two["hash"] as Data)
  }

  @Test("PIN: five wrong PINs cause a pause")
  func pause() throws {
    try scratch.writer().setPIN(right)
    for left in [4, 3, 2, 1] {
      #expect(throws: AuthorizationError.wrongPIN(scratch.path, triesLeft: left)) {
        try scratch.writer().check(wrong, now: 1000)
      }
    }
    #expect(throws: AuthorizationError.coolingDown(scratch.path, seconds: 30)) {
      try scratch.writer().check(wrong, now: 1000)
    }
    #expect(throws: AuthorizationError.coolingDown(scratch.path, seconds: 1)) {
      try scratch.writer().check(right, now: 30_999)
    }
    // a clock that was set back does not make the pause longer
    #expect(throws: AuthorizationError.coolingDown(scratch.path, seconds: 30)) {
      try scratch.writer().check(right, now: -1_000_000_000)
    }
    #expect(throws: AuthorizationError.wrongPIN(scratch.path, triesLeft: 4)) {
      try scratch.writer().check(wrong, now: 31_000)
    }
    try scratch.writer().check(right, now: 31_000)
    #expect(throws: AuthorizationError.wrongPIN(scratch.path, triesLeft: 4)) {
      try scratch.writer().check(wrong, now: 31_000)
    }
  }

  @Test("PIN: a pause that began while the clock was years ahead ends after 30 seconds")
  func clockSetBack() throws {
    try scratch.writer().setPIN(right)
    let ahead: Timestamp = 300_000_000_000
    for _ in 1...5 {
      #expect(throws: AuthorizationError.self) { try scratch.writer().check(wrong, now: ahead) }
    }
    #expect(throws: AuthorizationError.coolingDown(scratch.path, seconds: 30)) {
      try scratch.writer().check(right, now: 1000)
    }
    #expect(throws: AuthorizationError.coolingDown(scratch.path, seconds: 1)) {
      try scratch.writer().check(right, now: 30_500)
    }
    try scratch.writer().check(right, now: 31_000)
  }

  @Test("PIN: a hash that another program computes is that of the PIN, and a change makes a new salt")
  func otherImplementation() throws {
    // PBKDF2-HMAC-SHA256 of 1234, as Python's hashlib computes it
    let hash: [UInt8] = [
      0x38, 0x7E, 0x1B, 0xA2, 0xBA, 0xB0, 0x36, 0x18, 0xFE, 0x53, 0x45, 0xBF, 0x8B, 0x1E, 0xB2, 0x8F,
      0xBF, 0xFE, 0x1F, 0x91, 0x0C, 0x7F, 0x72, 0xD5, 0x55, 0xE4, 0x76, 0xC5, 0xCB, 0x52, 0x70, 0xE8,
    ]
    try scratch.sql { database in
      try database.execute(
        sql: "INSERT INTO pin (id, salt, hash, rounds, failures, lockedUntil) VALUES (1, ?, ?, 600000, 0, 0)",
        arguments: [Data(0..<32), Data(hash)])
    }
    let writer = try scratch.writer()
    #expect(throws: AuthorizationError.wrongPIN(scratch.path, triesLeft: 4)) { try writer.check(wrong) }
    try writer.check(right)
    try writer.changePIN(right, to: wrong)
    let salt = try scratch.sql { try Data.fetchOne($0, sql: "SELECT salt FROM pin") }
    #expect(salt?.count == 32)
    #expect(salt != Data(0..<32))
  }
}
