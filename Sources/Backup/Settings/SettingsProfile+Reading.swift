import FileSystem
import PhotoLibrary
import SystemPackage

extension SettingsProfile {
  /// The deepest nesting of objects and lists in a document.
  private static let maximumNesting = 8

  /// Reads a profile from a file of at most 64 KiB. Follows symbolic links. Blocks.
  ///
  /// - Throws: `SettingsProfileError.invalid`; `FileError` if the file cannot be read.
  public init(contentsOf path: FilePath) throws {
    let file = try File.open(path, .readFollowingLinks)
    func refusal(_ reason: String) -> SettingsProfileError {
      .invalid(path, MetadataFault(path: "", reason: reason))
    }
    guard try file.status().kind == .file else { throw refusal("it is not a file") }
    guard let bytes = try file.contents(atMost: Self.maximumBytes) else {
      throw refusal("it has more than \(Self.maximumBytes) bytes")
    }
    do throws(MetadataFault) {
      self = try Self(json: bytes)
    } catch {
      throw SettingsProfileError.invalid(path, error)
    }
  }

  /// Reads a document. Refuses invalid JSON, a key that appears twice, another kind, a newer version, and a value that a
  /// setting does not have. Keeps the keys that this version does not know in `unknownKeys`.
  ///
  /// - Throws: `MetadataFault` with the path in the document.
  init(json: [UInt8]) throws(MetadataFault) {
    self = try json.withUnsafeBufferPointer { bytes throws(MetadataFault) in
      try Self(JSONDocument(bytes, maximumNesting: Self.maximumNesting))
    }
  }

  private init(_ document: JSONDocument) throws(MetadataFault) {
    guard try document.value("kind") == Self.kind else {
      throw MetadataFault(path: "kind", reason: "should be “\(Self.kind)”")
    }
    guard let version: Int = try document.value("version"), version >= 1 else {
      throw MetadataFault(path: "version", reason: "should be \(Self.newestVersion)")
    }
    guard version <= Self.newestVersion else {
      throw MetadataFault(path: "version", reason: "is \(version)", newerVersion: version)
    }
    let _: String? = try document.value("made_by")
    let madeAt: Timestamp? = try document.value("made_at")
    guard let (values, unknownKeys) = try document.value("settings", Self.settings) else {
      throw MetadataFault(path: "settings", reason: "is missing")
    }
    let unknown = document.keys.filter { Document.CodingKeys(rawValue: $0) == nil }
    self.init(values: values, madeAt: madeAt, unknownKeys: unknown + unknownKeys)
  }

  /// Reads the object with the values.
  private static func settings(
    _ json: inout JSONReader
  ) throws(JSONReader.Mismatch) -> (values: [String: String], unknownKeys: [String]) {
    var values: [String: String] = [:]
    var unknownKeys: [String] = []
    let start = try json.beginObject()
    while let key = json.nextKey()?.text {
      guard let definition = SettingDefinition.named(key) else {
        unknownKeys.append("settings.\(key)")
        json.skip()
        continue
      }
      let text = try json.string()
      guard let value = definition.value(named: text) else {
        throw JSONReader.Mismatch(
          position: start, reason: "\(key) is “\(text.prefix(60))”; it should be \(definition.choices)")
      }
      values[key] = value.name
    }
    return (values, unknownKeys)
  }
}
