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
      // RFC 8259, section 8.1: a parser may ignore a byte order mark
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      self = try Self(json: bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes)
    } catch {
      throw SettingsProfileError.invalid(path, error)
    }
  }

  /// Reads a document. Refuses invalid JSON, a key that appears twice, another kind, a newer version, and a value that a
  /// setting does not have. Keeps the keys that this version does not know in `unknownKeys`.
  ///
  /// - Throws: `MetadataFault` with the path in the document.
  init(json: [UInt8]) throws(MetadataFault) {
    self = try json.withUnsafeBufferPointer { bytes throws(MetadataFault) -> SettingsProfile in
      guard (try? UTF8Span(validating: bytes.span)) != nil else {
        throw MetadataFault(path: "", reason: "the text is not valid UTF-8")
      }
      let members = try JSONScan.check(bytes, maximumNesting: Self.maximumNesting)
      do throws(JSONDocument.Refusal) {
        return try Self(JSONDocument(bytes, members), bytes)
      } catch {
        switch error {
        case .fault(let fault): throw fault
        case .mismatch(let mismatch): throw MetadataFault(mismatch, in: bytes)
        }
      }
    }
  }

  /// Reads a document that has passed the scan.
  private init(
    _ document: JSONDocument, _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(JSONDocument.Refusal) {
    let kind = try document.optional("kind") { json throws(JSONReader.Mismatch) in try json.string() }
    guard kind == Self.kind else {
      throw .fault(MetadataFault(path: "kind", reason: "should be “\(Self.kind)”"))
    }
    let version = try document.optional("version") { json throws(JSONReader.Mismatch) in
      try json.integer(Int.self)
    }
    guard let version, version >= 1 else {
      throw .fault(MetadataFault(path: "version", reason: "should be \(Self.newestVersion)"))
    }
    guard version <= Self.newestVersion else {
      throw .fault(
        MetadataFault(path: "version", reason: "is \(version)", newerVersion: version))
    }
    _ = try document.optional("made_by") { json throws(JSONReader.Mismatch) in try json.string() }
    let madeAt = try document.optional("made_at") { json throws(JSONReader.Mismatch) in
      try json.integer(Int64.self)
    }
    let settings = try document.optional("settings") { json throws(JSONReader.Mismatch) in
      try Self.settings(&json)
    }
    guard let settings else { throw .fault(MetadataFault(path: "settings", reason: "is missing")) }
    var root = try Self.rootReader(bytes)
    var unknown: [String] = []
    while let key = root.nextKey() {
      if !["kind", "version", "made_by", "made_at", "settings"].contains(key.text) {
        unknown.append(key.text)
      }
      root.skip()
    }
    self.init(values: settings.values, madeAt: madeAt, unknownKeys: unknown + settings.unknownKeys)
  }

  private static func rootReader(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(JSONDocument.Refusal) -> JSONReader {
    var text = JSONText(bytes: bytes)
    text.skipBlanks()
    var reader = JSONReader(bytes, at: text.position)
    do throws(JSONReader.Mismatch) { try reader.beginObject() } catch { throw .mismatch(error) }
    return reader
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
