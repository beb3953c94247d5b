import Operations
import TestSupport

@testable import Backup

/// Generates metadata with unusual texts and numbers, and spells it as other programs might: keys in any order,
/// unnecessary escapes, white space, null for optional properties, and unknown keys.
struct MetadataGenerator {
  var random: SeededNumbers

  init(seed: Int) { random = SeededNumbers(seed: UInt64(seed)) }

  mutating func metadata() -> Metadata {
    var metadata = Metadata()
    metadata.version = maybe(1) ?? 2
    metadata.exportDate = maybe(date())
    metadata.appVersion = text()
    metadata.format = text()
    metadata.categories = (0..<Int64.random(in: 1...4, using: &random)).map { index in
      Metadata.CategoryRecord(
        id: index, name: text(), displayName: text(),
        position: Int(Int32.random(in: .min ... .max, using: &random)),
        iconResource: maybe(text()), colorHex: maybe(text()), isDefault: flag(), createdAt: date(),
        valuesAsOf: maybe(date()))
    }
    let ids = metadata.categories.map(\.id)
    metadata.photos = (0..<Int64.random(in: 0...6, using: &random)).map { index in
      Metadata.PhotoRecord(
        id: flag() ? index : .min + index, path: text(), categoryId: ids.randomElement(using: &random) ?? 0,
        name: text(), isFromAssets: flag(), createdAt: date(), fileSize: size(),
        width: Int(UInt16.random(in: 0 ... .max, using: &random)), height: 0)
    }
    metadata.photoManifest = metadata.photos.filter { _ in flag() }.map { photo in
      Metadata.ManifestEntry(
        photoId: photo.id, originalPath: text(), zipEntryName: "\(photo.id)\(text())", fileName: text(),
        fileSize: size(), checksum: maybe(text()))
    }
    let security = Metadata.SecurityRecord(
      hasPIN: maybe(flag()), hasPattern: maybe(flag()), kidSafeModeEnabled: maybe(flag()),
      deleteProtectionEnabled: maybe(flag()), cameraAccessAllowed: maybe(flag()))
    metadata.settings = maybe(Metadata.SettingsRecord(isDarkMode: maybe(flag()), securitySettings: security))
    return metadata
  }

  private mutating func flag() -> Bool { Bool.random(using: &random) }

  private mutating func maybe<Value>(_ value: Value) -> Value? { flag() ? value : nil }

  private mutating func date() -> Timestamp {
    let dates = Metadata.dates.lowerBound.rawValue...Metadata.dates.upperBound.rawValue
    return Timestamp(rawValue: .random(in: dates, using: &random) >> Int64.random(in: 0...50, using: &random))
  }

  private mutating func size() -> Int64 {
    Int64.random(in: 0 ... .max, using: &random) >> Int64.random(in: 0...63, using: &random)
  }

  private mutating func text() -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let value: UInt32 =
        switch UInt8.random(in: 0..<8, using: &random) {
        case 0: .random(in: 1..<0x20, using: &random)
        case 1: .random(in: 0x80..<0x800, using: &random)
        case 2: .random(in: 0x2000..<0xD800, using: &random)
        case 3: .random(in: 0x1_F000...0x10_FFFF, using: &random)
        case 4: UInt32((#"\"/"#.utf8.randomElement(using: &random) ?? 0))
        default: .random(in: 0x20...0x7F, using: &random)
        }
      if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
    }
    return String(scalars)
  }

  // MARK: Spelling

  /// Writes metadata with a random spelling.
  mutating func respelled(_ metadata: Metadata) -> [UInt8] {
    var root: [(String, String)] = [
      ("version", number(Int64(metadata.version))), ("appVersion", quoted(metadata.appVersion)),
      ("format", quoted(metadata.format)),
    ]
    root += optional("exportDate", metadata.exportDate.map { number($0.rawValue) })
    root.append(
      (
        "categories",
        list(
          metadata.categories.map { category in
            object(
              [
                ("id", number(category.id)), ("name", quoted(category.name)),
                ("displayName", quoted(category.displayName)), ("position", number(Int64(category.position))),
                ("isDefault", "\(category.isDefault)"), ("createdAt", number(category.createdAt.rawValue)),
              ] + optional("iconResource", category.iconResource.map { quoted($0) })
                + optional("colorHex", category.colorHex.map { quoted($0) })
                + optional("valuesAsOf", category.valuesAsOf.map { number($0.rawValue) }))
          })
      ))
    root.append(
      (
        "photos",
        list(
          metadata.photos.map { photo in
            object(
              [
                ("id", number(photo.id)), ("path", quoted(photo.path)),
                ("categoryId", number(photo.categoryId)),
                ("name", quoted(photo.name)), ("createdAt", number(photo.createdAt.rawValue)),
                ("isFromAssets", "\(photo.isFromAssets)"), ("fileSize", number(photo.fileSize)),
              ] + optional("width", photo.width == 0 ? nil : number(Int64(photo.width)))
                + optional("height", nil))
          })
      ))
    root.append(
      (
        "photoManifest",
        list(
          metadata.photoManifest.map { entry in
            object(
              [
                ("photoId", number(entry.photoId)), ("originalPath", quoted(entry.originalPath)),
                ("zipEntryName", quoted(entry.zipEntryName)), ("fileName", quoted(entry.fileName)),
                ("fileSize", number(entry.fileSize)),
              ] + optional("checksum", entry.checksum.map { quoted($0) }))
          })
      ))
    root += optional(
      "settings",
      metadata.settings.map { settings in
        let security = settings.securitySettings
        let flags = object(
          optional("hasPIN", security.hasPIN.map { "\($0)" })
            + optional("hasPattern", security.hasPattern.map { "\($0)" })
            + optional("kidSafeModeEnabled", security.kidSafeModeEnabled.map { "\($0)" })
            + optional("deleteProtectionEnabled", security.deleteProtectionEnabled.map { "\($0)" })
            + optional("cameraAccessAllowed", security.cameraAccessAllowed.map { "\($0)" }))
        return object(
          optional("isDarkMode", settings.isDarkMode.map { "\($0)" }) + [("securitySettings", flags)])
      })
    return Array((blanks() + object(root) + blanks()).utf8)
  }

  private mutating func optional(_ key: String, _ value: String?) -> [(String, String)] {
    if let value { return [(key, value)] }
    return flag() ? [(key, "null")] : []
  }

  private mutating func object(_ properties: [(String, String)]) -> String {
    var properties = properties
    if flag() {
      let unknown = [
        "{}", "[]", "[[1,{\"id\":2}],\"}\",\"\\\"\"]", "-0.5E-7", "null", "true", "{\"name\":[\"]\"]}",
        "\"\"",
      ]
      properties.append(("x \(quoted("id").count)", unknown.randomElement(using: &random) ?? "0"))
    }
    let parts = properties.shuffled(using: &random).map { key, value in
      blanks() + quoted(key) + blanks() + ":" + blanks() + value + blanks()
    }
    return "{" + (parts.isEmpty ? blanks() : parts.joined(separator: ",")) + "}"
  }

  private mutating func list(_ values: [String]) -> String {
    "[" + blanks() + values.map { blanks() + $0 + blanks() }.joined(separator: ",") + "]"
  }

  private mutating func blanks() -> String {
    String(
      (0..<Int.random(in: 0...2, using: &random)).map { _ in " \n\t\r".randomElement(using: &random) ?? " " })
  }

  private mutating func number(_ value: Int64) -> String {
    switch UInt8.random(in: 0..<12, using: &random) {
    case 0 where value.magnitude < 1 << 40: "\(value).00"
    case 1 where value != 0 && value.magnitude < 1 << 40: "\(value)000e-3"
    case 2 where value % 100 == 0 && value.magnitude < 1 << 40: "\(value / 100)E+2"
    case 3 where value == 0: "-0"
    default: "\(value)"
    }
  }

  private mutating func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      guard mustEscape || UInt8.random(in: 0..<10, using: &random) == 0 else {
        result.unicodeScalars.append(scalar)
        continue
      }
      let short: [Unicode.Scalar: String] = [
        "\"": "\\\"", "\\": "\\\\", "/": "\\/", "\u{8}": "\\b", "\u{C}": "\\f", "\n": "\\n", "\r": "\\r",
        "\t": "\\t",
      ]
      if let short = short[scalar], flag() {
        result += short
      } else {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: flag())
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return result + "\""
  }
}
