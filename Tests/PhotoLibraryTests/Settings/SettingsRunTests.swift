import FileSystem
import Foundation
import GRDB
import Operations
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Changes of settings: `set`, `reset` and the import of a profile.
struct SettingsRunTests {
  let scratch: LibraryScratch
  private let right: PIN

  init() throws {
    scratch = try LibraryScratch()
    right = try #require(PIN("1234"))
  }

  private func assignments(_ values: KeyValuePairs<String, String>) throws -> [SettingAssignment] {
    try values.map { try #require(SettingAssignment(key: $0.key, value: $0.value)) }
  }

  @discardableResult
  private func run(
    _ request: SettingsRequest, by authorization: Authorization = .refused, isDryRun: Bool = false
  ) throws -> SettingsPlan {
    let options = ChangeOptions(authorization: authorization, isDryRun: isDryRun)
    return try SettingsRun(scratch.path, options).run(request)
  }

  @discardableResult
  private func set(
    _ values: KeyValuePairs<String, String>, by authorization: Authorization = .refused
  ) throws -> SettingsPlan {
    try run(.set(assignments(values)), by: authorization)
  }

  private func settings() throws -> Settings { try scratch.contents().settings }

  private func changes() throws -> [String] {
    try scratch.sql { try String.fetchAll($0, sql: "SELECT kind FROM change ORDER BY rowid") }
  }

  @Test("Settings: several are set in one change, with its date")
  func setSeveral() throws {
    let start = Timestamp.now
    let summary = try set(["theme": "dark", "delete-protection": "on"])
    #expect(
      summary.changes == [
        SettingChange(key: "theme", oldValue: "system", newValue: "dark"),
        SettingChange(key: "delete-protection", oldValue: "off", newValue: "on"),
      ])
    let settings = try settings()
    #expect(settings.themeMode == .dark)
    #expect(settings.deleteProtection == true)
    #expect(settings.kidSafeMode == nil)
    #expect(try #require(settings.theme).asOf >= start)
    #expect(settings.changedAt >= start)
    #expect(settings.createdAt == 1000)
    #expect(try changes() == ["settings"])
  }

  @Test("Settings: a protection that has the value is stated, and then nothing changes")
  func setSame() throws {
    try set(["kid-safe-mode": "on"])
    #expect(try settings().kidSafeMode == true)
    try set(["kid-safe-mode": "on"])
    #expect(try changes() == ["settings"])
  }

  @Test("Settings: a theme that is set again is newer")
  func setThemeAgain() throws {
    try set(["theme": "dark"])
    let first = try #require(try settings().theme)
    try set(["theme": "dark"])
    #expect(try #require(try settings().theme).asOf > first.asOf)
  }

  @Test("Settings: an unknown key or value makes no assignment")
  func unknown() {
    #expect(SettingAssignment(key: "color", value: "dark") == nil)
    #expect(SettingAssignment(key: "theme", value: "purple") == nil)
  }

  private static let lowering: [(String, String, String, Protection)] = [
    ("delete-protection", "on", "off", .deleteProtection), ("kid-safe-mode", "on", "off", .kidSafeMode),
    ("camera-access", "off", "on", .cameraBlock),
  ]

  @Test("Settings: lowering a protection needs a confirmation", arguments: lowering)
  func loweringAsks(_ key: String, _ protecting: String, _ other: String, _ protection: Protection) throws {
    try set([key: protecting])
    let before = try settings()
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) { try set([key: other]) }
    #expect(try settings() == before)
    let summary = try set([key: other], by: .given)
    #expect(summary.lowered == [protection])
    #expect(try SettingDefinition.named(key)?.value(in: settings()) == other)
  }

  @Test("Settings: lowering a protection needs the PIN, also without delete protection", arguments: lowering)
  func loweringNeedsPIN(
    _ key: String, _ protecting: String, _ other: String, _ protection: Protection
  ) throws {
    try set([key: protecting])
    try scratch.writer().setPIN(right)
    let before = try settings()
    #expect(throws: AuthorizationError.pinNeeded(scratch.path)) { try set([key: other], by: .given) }
    #expect(try settings() == before)
    let right = right
    try set([key: other], by: Authorization(pin: { _ in right }, confirms: { _ in false }))
    #expect(try SettingDefinition.named(key)?.value(in: settings()) == other)
  }

  @Test("Settings: raising a protection needs neither a confirmation nor the PIN")
  func raising() throws {
    try scratch.writer().setPIN(right)
    try set(["delete-protection": "on", "camera-access": "off", "theme": "light"])
    #expect(try settings().deleteProtection == true)
  }

  // MARK: Reset

  private static let deletion = SettingDefinition.named("delete-protection")

  @Test("Settings: a reset without keys keeps the protections")
  func resetAll() throws {
    try set(["theme": "dark", "delete-protection": "on"])
    let summary = try run(.reset([]), by: .given)
    #expect(summary.changes == [SettingChange(key: "theme", oldValue: "dark", newValue: "system")])
    #expect(summary.kept == ["delete-protection"])
    #expect(try settings().themeMode == .system)
    #expect(try settings().deleteProtection == true)
  }

  @Test("Settings: a reset needs a confirmation, and with delete protection the PIN")
  func resetAsks() throws {
    try set(["theme": "dark"])
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) { try run(.reset([])) }
    try scratch.writer().setPIN(right)
    try set(["delete-protection": "on"])
    #expect(throws: AuthorizationError.pinNeeded(scratch.path)) { try run(.reset([]), by: .given) }
    #expect(try settings().themeMode == .dark)
  }

  @Test("Settings: a reset of a protection that is named lowers it")
  func resetNamed() throws {
    try set(["delete-protection": "on"])
    let summary = try run(.reset([#require(Self.deletion)]), by: .given)
    #expect(summary.lowered == [.deleteProtection])
    #expect(try settings().deleteProtection == false)
  }

  @Test("Settings: a reset of defaults asks nothing and changes nothing")
  func resetDefaults() throws {
    #expect(try run(.reset(SettingDefinition.all)).changes.isEmpty)
    #expect(try changes().isEmpty)
  }

  // MARK: Profiles

  @Test("Settings: a profile sets what differs, and lowers no protection")
  func adopt() throws {
    try set(["delete-protection": "on"])
    let wanted = try assignments(["theme": "dark", "kid-safe-mode": "off", "delete-protection": "off"])
    let summary = try run(.adopt(wanted, lowersProtections: false))
    #expect(summary.changes.map(\.key) == ["theme"])
    #expect(summary.kept == ["kid-safe-mode", "delete-protection"])
    #expect(try settings().deleteProtection == true)
    #expect(try settings().kidSafeMode == nil)
    let count = try changes().count
    try run(.adopt(wanted, lowersProtections: false))
    #expect(try changes().count == count, "a profile that is imported twice changes nothing")
  }

  @Test("Settings: a profile lowers protections if it may, after a confirmation")
  func adoptLowering() throws {
    try set(["delete-protection": "on"])
    let wanted = try assignments(["delete-protection": "off"])
    #expect(throws: AuthorizationError.self) { try run(.adopt(wanted, lowersProtections: true)) }
    try run(.adopt(wanted, lowersProtections: true), by: .given)
    #expect(try settings().deleteProtection == false)
  }

  @Test("Settings: a dry run asks nothing and writes nothing")
  func dryRun() throws {
    let wanted = try assignments(["theme": "dark", "kid-safe-mode": "off"])
    let summary = try run(.adopt(wanted, lowersProtections: true), isDryRun: true)
    #expect(summary.changes.count == 2)
    #expect(try settings() == Settings(createdAt: 1000))
  }

  // MARK: Undo

  @Test("Settings: undo takes a change back")
  func undoSet() throws {
    try set(["theme": "light"])
    let before = try settings()
    try set(["theme": "dark", "camera-access": "off"])
    let summary = try scratch.undo()
    #expect(summary.kind == .settings)
    #expect(summary.protectionsLowered == [.cameraBlock])
    #expect(try settings() == before)
  }

  @Test("Settings: an undo that lowers a protection needs the PIN, also without delete protection")
  func undoNeedsPIN() throws {
    try set(["camera-access": "off"])
    try scratch.writer().setPIN(right)
    #expect(throws: AuthorizationError.pinNeeded(scratch.path)) { try scratch.undo() }
    #expect(try settings().cameraAccess == false)
  }

  @Test("Settings: undo names the change in its question")
  func undoQuestion() throws {
    try set(["camera-access": "off"])
    let asked = Mutex("")
    let authorization = Authorization(
      pin: { _ in nil },
      confirms: { operation in
        asked.withLock { $0 = operation.description }
        return true
      })
    try scratch.undo(authorization)
    let question = asked.withLock { $0 }
    #expect(question.hasPrefix("undo the change of settings at "))
    #expect(question.hasSuffix(": turn the camera block off"))
  }

  @Test("Settings: turning delete protection on is a change, if it is off")
  func turnOnDeleteProtection() throws {
    let writer = try scratch.writer()
    try writer.turnOnDeleteProtection()
    try writer.turnOnDeleteProtection()
    #expect(try settings().deleteProtection == true)
    #expect(try changes() == ["settings"])
  }

  // MARK: Stored values out of range

  private func store(_ assignments: String) throws {
    try scratch.sql { database in
      try database.execute(sql: "PRAGMA ignore_check_constraints = ON; UPDATE settings SET \(assignments)")
    }
  }

  @Test(
    "Settings: a stored value out of range reads as the default, and is reported",
    arguments: [
      ("themeMode = 'purple', themeModeAsOf = 5", "themeMode"),
      ("themeMode = '', themeModeAsOf = 5", "themeMode"),
      ("themeModeAsOf = 5", "themeMode"), ("hasPIN = 2, hasPINAsOf = 5", "hasPIN"),
      ("hasPattern = -1, hasPatternAsOf = 5", "hasPattern"),
      ("kidSafeModeEnabled = 0x100", "kidSafeModeEnabled"),
      ("deleteProtectionEnabled = 7", "deleteProtectionEnabled"),
      ("cameraAccessAllowed = -1", "cameraAccessAllowed"),
    ])
  func outOfRange(assignments: String, column: String) throws {
    try store(assignments)
    let stored = try Library(path: scratch.path).storedSettings()
    #expect(stored.faults.map(\.column) == [column])
    #expect(stored.settings == Settings(createdAt: 1000))
  }

  @Test("Settings: a missing record is an error")
  func missingRecord() throws {
    try scratch.sql { try $0.execute(sql: "DELETE FROM settings") }
    #expect(throws: LibraryError.self) { try Library(path: scratch.path).storedSettings() }
  }

  @Test("Settings: a change that lowers nothing turns a protection with a stored value out of range on")
  func replacedProtection() throws {
    try store("cameraAccessAllowed = 7")
    try run(.adopt(assignments(["theme": "dark"]), lowersProtections: false))
    #expect(try settings().cameraAccess == false)
    try store("cameraAccessAllowed = 7")
    try scratch.writer().turnOnDeleteProtection()
    #expect(try settings().cameraAccess == false)
    #expect(try settings().deleteProtection == true)
  }

  @Test("Settings: the next change replaces a stored value out of range")
  func repair() throws {
    try store("themeMode = 'purple', themeModeAsOf = 5")
    let summary = try set(["theme": "dark"])
    #expect(summary.faults.map(\.column) == ["themeMode"])
    #expect(try settings().themeMode == .dark)
    try scratch.undo()
    #expect(try settings().theme == nil)
  }

  @Test("Settings: a change of categories works with a stored value out of range, and lowers no protection")
  func otherChange() throws {
    try store("deleteProtectionEnabled = 7, themeMode = 'purple', themeModeAsOf = 5")
    var values = CategoryValues()
    values.displayName = "Zoo"
    _ = try ChangeRun(path: scratch.path, options: .given, counter: ProgressCounter()).organize(.add(values))
    #expect(try settings().deleteProtection == true)
    #expect(try settings().theme == nil)
    try scratch.undo()
    #expect(try settings().deleteProtection == true)
  }

  @Test("Settings: a protection whose stored value is out of range is on for approvals")
  func strictest() throws {
    try store("deleteProtectionEnabled = 7, cameraAccessAllowed = 2")
    let strictest = try Library(path: scratch.path).storedSettings().strictest
    #expect(strictest.deleteProtectionEnabled)
    #expect(!strictest.cameraAccessAllowed)
    #expect(throws: AuthorizationError.notConfirmed(scratch.path)) { try set(["delete-protection": "off"]) }
  }
}
