import Testing

@testable import PhotoLibrary

struct SettingDefinitionTests {
  @Test("Setting definitions: keys and columns are unique")
  func unique() {
    let all = SettingDefinition.all
    #expect(Set(all.map(\.key)).count == all.count)
    #expect(Set(all.map(\.column)).count == all.count)
  }

  @Test("Setting definitions: a default is a value, and the one of a new library")
  func defaults() {
    let settings = Settings(createdAt: 0)
    for definition in SettingDefinition.all {
      #expect(definition.value(named: definition.defaultValue) != nil, "\(definition.key)")
      #expect(!definition.isStated(in: settings), "\(definition.key)")
      #expect(definition.value(in: settings) == definition.defaultValue, "\(definition.key)")
    }
    #expect(settings.themeMode.rawValue == SettingDefinition.named("theme")?.defaultValue)
    #expect(settings.kidSafeModeEnabled == (SettingDefinition.named("kid-safe-mode")?.defaultValue == "on"))
    #expect(settings.cameraAccessAllowed == (SettingDefinition.named("camera-access")?.defaultValue == "on"))
    #expect(
      settings.deleteProtectionEnabled == (SettingDefinition.named("delete-protection")?.defaultValue == "on")
    )
  }

  @Test("Setting definitions: a value that is set is read again, and has a meaning")
  func values() {
    for definition in SettingDefinition.all {
      for value in definition.values {
        var settings = Settings(createdAt: 0)
        definition.set(value.name, in: &settings, now: 7)
        #expect(definition.value(in: settings) == value.name, "\(definition.key)")
        #expect(definition.isStated(in: settings), "\(definition.key)")
        #expect(value.meaning.hasSuffix("."), "\(definition.key)")
      }
    }
  }

  @Test("Setting definitions: an unknown value sets nothing")
  func unknownValue() {
    for definition in SettingDefinition.all {
      var settings = Settings(createdAt: 0)
      definition.set("purple", in: &settings, now: 7)
      #expect(settings == Settings(createdAt: 0), "\(definition.key)")
    }
  }

  @Test("Setting definitions: the protecting value lowers no protection, another value does")
  func protectingValues() {
    for definition in SettingDefinition.all {
      guard let protecting = definition.protectingValue else { continue }
      var protected = Settings(createdAt: 0)
      definition.set(protecting, in: &protected, now: 7)
      #expect(protected.protections(loweredBy: protected).isEmpty)
      for value in definition.values where value.name != protecting {
        var other = protected
        definition.set(value.name, in: &other, now: 7)
        #expect(protected.protections(loweredBy: other).count == 1, "\(definition.key)")
      }
    }
  }

  @Test("Setting definitions: a new theme is newer than a statement from the future")
  func futureTheme() {
    var settings = Settings(createdAt: 0)
    settings.theme = .init(.dark, asOf: 100)
    SettingDefinition.named("theme")?.set("light", in: &settings, now: 7)
    #expect(settings.theme == .init(.light, asOf: 101))
    settings.theme = .init(.dark, asOf: .max)
    SettingDefinition.named("theme")?.set("light", in: &settings, now: 7)
    #expect(settings.theme == .init(.light, asOf: .max))
  }

  @Test("Setting definitions: the choices are a phrase")
  func choices() {
    #expect(SettingDefinition.named("theme")?.choices == "system, light or dark")
    #expect(SettingDefinition.named("camera-access")?.choices == "on or off")
  }
}
