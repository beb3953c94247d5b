import FileSystem
import Foundation
import Secrets
import SystemPackage
import TestSupport
import Testing

@testable import Backup
@testable import PhotoLibrary

/// Profiles of settings, as `settings export` writes and `settings import` reads them.
struct SettingsProfileTests {
  private let folder = ScratchFolder()

  private var path: FilePath { folder.path("profile.json") }

  private func settings() -> Settings {
    var settings = Settings(createdAt: 1)
    settings.theme = .init(.dark, asOf: 5)
    settings.deleteProtection = true
    settings.pin = .init(true, asOf: 5)
    return settings
  }

  @Test("Profile: the document has the value of every setting, with sorted keys")
  func document() throws {
    let profile = SettingsProfile(settings(), madeAt: Date(timeIntervalSince1970: 1_795_000_000.123))
    #expect(
      try profile.json == """
        {
          "kind" : "smilepile-settings",
          "made_at" : 1795000000123,
          "made_by" : "smilepile \(Version.current)",
          "settings" : {
            "camera-access" : "on",
            "delete-protection" : "on",
            "kid-safe-mode" : "on",
            "similarity" : "0.92",
            "theme" : "dark"
          },
          "version" : 1
        }

        """)
  }

  @Test("Profile: what is written is read")
  func roundTrip() throws {
    let profile = SettingsProfile(settings())
    #expect(try profile.write(to: path) == nil)
    #expect(try SettingsProfile(contentsOf: path) == profile)
    let mode = try FileManager.default.attributesOfItem(atPath: path.string)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("Profile: no file is replaced")
  func existing() throws {
    try folder.write("mine", to: "profile.json")
    #expect(throws: SettingsProfileError.exists(path)) { _ = try SettingsProfile(settings()).write(to: path) }
    #expect(try folder.bytes("profile.json") == Array("mine".utf8))
    #expect(throws: SettingsProfileError.noName(".")) { _ = try SettingsProfile(settings()).write(to: ".") }
    #expect(throws: FileError.self) {
      _ = try SettingsProfile(settings()).write(to: folder.path("missing/profile.json"))
    }
  }

  @Test("Profile: it contains no byte of the PIN, its salt and its hash, and no path")
  func secrets() throws {
    let library = try SampleLibrary()
    let writer = try LibraryWriter(path: library.path)
    try writer.setPIN(#require(PIN(Secret("4711"))))
    let json = try SettingsProfile(Library(path: library.path).storedSettings().settings).json
    #expect(!json.contains("4711"))
    #expect(!json.contains("/"))
    let keys = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(Set(try #require(keys).keys) == ["kind", "made_at", "made_by", "settings", "version"])
    #expect((keys?["settings"] as? [String: Any])?.count == SettingDefinition.all.count)
  }

  @Test("Profile: unknown keys are reported")
  func unknownKeys() throws {
    try folder.write(
      #"{"kind":"smilepile-settings","version":1,"note":[1],"settings":{"sort\u0021":{"a":1},"theme":"dark"}}"#,
      to: "profile.json")
    let profile = try SettingsProfile(contentsOf: path)
    #expect(profile.values == ["theme": "dark"])
    #expect(profile.unknownKeys == ["note", "settings.sort!"])
    #expect(profile.madeAt == nil)
  }

  private static func wrapped(_ settings: String) -> String {
    #"{"kind":"smilepile-settings","version":1,"settings":"# + settings + "}"
  }

  private static let long = wrapped("{\"x\":\"\(String(repeating: "a", count: 64 << 10))\"}")

  @Test(
    "Profile: a malformed document is refused",
    arguments: [
      "", "{", "[]", "null", #"{"kind":"smilepile-settings"}"#, #"{"version":1,"settings":{}}"#,
      #"{"kind":"smilepile","version":1,"settings":{}}"#, #"{"kind":7,"version":1,"settings":{}}"#,
      #"{"kind":"smilepile-settings","version":"1","settings":{}}"#,
      #"{"kind":"smilepile-settings","version":0,"settings":{}}"#,
      #"{"kind":"smilepile-settings","version":1.5,"settings":{}}"#,
      #"{"kind":"smilepile-settings","version":1}"#,
      #"{"kind":"smilepile-settings","version":1,"made_at":"now","settings":{}}"#,
      #"{"kind":"smilepile-settings","version":1,"made_by":1,"settings":{}}"#,
      wrapped("{}x"), wrapped("[]"), wrapped("7"), wrapped(#"{"theme":"purple"}"#),
      wrapped(#"{"theme":1}"#), wrapped(#"{"theme":null}"#), wrapped(#"{"kid-safe-mode":true}"#),
      wrapped(#"{"theme":"dark","theme":"dark"}"#), wrapped(#"{"theme":"dark","th\u0065me":"light"}"#),
      wrapped(#"{"x":[[[[[[[]]]]]]]}"#), wrapped(#"{"theme":"dark",}"#), wrapped(#"{"theme":"da"#),
      long,
    ])
  func malformed(text: String) throws {
    try folder.write(text, to: "profile.json")
    let error = #expect(throws: SettingsProfileError.self) { try SettingsProfile(contentsOf: path) }
    guard case .invalid(path, let fault) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(fault.newerVersion == nil)
  }

  @Test("Profile: text that is not UTF-8 is refused")
  func invalidEncoding() throws {
    try folder.write(Array(Self.wrapped("{\"x\":\"").utf8) + [0xFF] + Array("\"}}".utf8), to: "profile.json")
    #expect(throws: SettingsProfileError.self) { try SettingsProfile(contentsOf: path) }
  }

  @Test("Profile: a newer version is refused, and the message says so")
  func newerVersion() throws {
    try folder.write(#"{"kind":"smilepile-settings","version":2,"settings":7}"#, to: "profile.json")
    let error = #expect(throws: SettingsProfileError.self) { try SettingsProfile(contentsOf: path) }
    #expect(error?.description.contains("update smilepile") == true)
  }

  @Test("Profile: a folder, a pipe and a missing file are refused")
  func noFile() throws {
    try folder.makeFolder("folder")
    #expect(throws: SettingsProfileError.self) { try SettingsProfile(contentsOf: folder.path("folder")) }
    #expect(mkfifo(folder.path("pipe").string, 0o600) == 0)
    #expect(throws: SettingsProfileError.self) { try SettingsProfile(contentsOf: folder.path("pipe")) }
    #expect(throws: FileError.self) { try SettingsProfile(contentsOf: folder.path("missing")) }
  }
}

/// An import after a change of settings.
struct SettingsMergeTests {
  private let library: SampleLibrary

  init() throws { library = try SampleLibrary() }

  private func set(_ key: String, _ value: String) throws -> Settings {
    let assignment = try #require(SettingAssignment(key: key, value: value))
    _ = try SettingsRun(library.path, .given).run(.set([assignment]))
    return try Library(path: library.path).storedSettings().settings
  }

  @Test("Settings: a theme that is set wins against an older backup, and not against a newer one")
  func theme() throws {
    let settings = try set("theme", "light")
    var stated = Settings(createdAt: 0)
    stated.theme = .init(.dark, asOf: .init(Date(timeIntervalSinceNow: -60)))
    #expect(settings.merged(with: stated, replaces: false).themeMode == .light)
    stated.theme?.asOf = .init(Date(timeIntervalSinceNow: 60))
    #expect(settings.merged(with: stated, replaces: false).themeMode == .dark)
  }

  @Test("Settings: a theme that is set wins against the same backup from the future")
  func futureBackup() throws {
    var stated = Settings(createdAt: 0)
    stated.theme = .init(.dark, asOf: .init(Date(timeIntervalSinceNow: 60)))
    var edit = LibraryEdit()
    edit.settings = stated
    try LibraryWriter(path: library.path).change(.merge) { try $0.commit(edit, files: []) }
    let settings = try set("theme", "light")
    #expect(settings.merged(with: stated, replaces: false).themeMode == .light)
  }

  @Test(
    "Settings: a protection that is set stays on, whatever a backup states",
    arguments: [("kid-safe-mode", "on"), ("delete-protection", "on"), ("camera-access", "off")])
  func raised(_ key: String, _ value: String) throws {
    let settings = try set(key, value)
    var stated = Settings(createdAt: 0)
    stated.kidSafeMode = false
    stated.deleteProtection = false
    stated.cameraAccess = true
    let merged = settings.merged(with: stated, replaces: true)
    #expect(SettingDefinition.named(key)?.value(in: merged) == value)
  }

  @Test("Settings: a backup raises a protection that is turned off")
  func lowered() throws {
    let settings = try set("kid-safe-mode", "off")
    var stated = Settings(createdAt: 0)
    stated.kidSafeMode = true
    #expect(settings.merged(with: stated, replaces: false).kidSafeMode == true)
  }
}
