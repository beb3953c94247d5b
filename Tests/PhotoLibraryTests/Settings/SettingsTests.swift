import Foundation
import GRDB
import TestSupport
import Testing

@testable import PhotoLibrary

struct SettingsTests {
  let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch() }

  @Test("Settings: a new library has the defaults")
  func defaults() throws {
    let settings = try scratch.contents().settings
    #expect(settings.themeMode == .system)
    #expect(!settings.hasPIN)
    #expect(!settings.hasPattern)
    #expect(settings.kidSafeModeEnabled)
    #expect(!settings.deleteProtectionEnabled)
    #expect(settings.cameraAccessAllowed)
    #expect(settings.createdAt == 1000)
    #expect(settings.changedAt == 1000)
    #expect(settings == Settings(createdAt: 1000))
  }

  @Test("Settings: every value is read as it was written", arguments: Settings.ThemeMode.allCases)
  func roundTrip(theme: Settings.ThemeMode) throws {
    var settings = Settings(createdAt: -1)
    settings.theme = .init(theme, asOf: 2)
    settings.pin = .init(true, asOf: -2)
    settings.pattern = .init(false, asOf: .min)
    settings.kidSafeMode = false
    settings.deleteProtection = true
    settings.cameraAccess = false
    settings.changedAt = 3
    var edit = LibraryEdit()
    edit.settings = settings
    try scratch.writer().change(.merge) { try $0.commit(edit, files: []) }
    #expect(try scratch.contents().settings == settings)
  }

  @Test(
    "Settings: invalid values are refused",
    arguments: [
      "themeMode = 'purple'", "themeMode = ''", "hasPIN = 2", "hasPattern = -1", "hasPINAsOf = 1",
      "themeMode = 'dark'", "cameraAccessAllowed = 2",
      "deleteProtectionEnabled = 7", "changedAt = createdAt - 1", "id = 2", "hasPIN = 'yes'",
      "createdAt = 'now'",
    ])
  func invalidValues(assignment: String) throws {
    let error = #expect(throws: DatabaseError.self) {
      try scratch.sql { try $0.execute(sql: "UPDATE settings SET \(assignment)") }
    }
    #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    #expect(try scratch.contents().settings == Settings(createdAt: 1000))
  }

  @Test("Settings: there is one row")
  func oneRow() throws {
    #expect(throws: DatabaseError.self) { try scratch.sql { try Settings(createdAt: 1).insert($0) } }
  }

  @Test("Settings: a change before the creation is refused")
  func invalidDates() throws {
    var edit = LibraryEdit()
    edit.settings = Settings(createdAt: 10)
    edit.settings?.changedAt = 9
    let error = #expect(throws: LibraryError.self) {
      try scratch.writer().change(.merge) { try $0.commit(edit, files: []) }
    }
    #expect(error?.description.contains("changedAt >= createdAt") == true)
    #expect(try scratch.contents().settings == Settings(createdAt: 1000))
  }

  @Test("Settings: a missing row is reported")
  func missingRow() throws {
    try scratch.sql { try $0.execute(sql: "DELETE FROM settings") }
    let error = #expect(throws: LibraryError.self) { _ = try scratch.contents() }
    #expect(error?.description.hasSuffix(": the settings record is missing") == true)
    #expect(error?.remedy != nil)
  }

  @Test("Settings: dates keep their milliseconds")
  func milliseconds() {
    var random = SeededNumbers(seed: 20_251_003)
    for _ in 0..<20_000 {
      let time = Timestamp(rawValue: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &random))
      #expect(Timestamp(time.date) == time)
    }
    #expect(Timestamp(Date(timeIntervalSince1970: .infinity)).rawValue == .max)
    #expect(Timestamp(Date(timeIntervalSince1970: -.infinity)) == .min)
    #expect(Timestamp(Date(timeIntervalSince1970: -0.001)) == -1)
  }
}
