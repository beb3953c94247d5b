import CYaml

/// The YAML that a configuration file may have. The rest is refused before nodes are made of it. A few hundred bytes of
/// aliases stand for more nodes than memory can hold. A key that is a list or a mapping is compared with all other keys.
///
/// | construct | why it is refused |
/// |---|---|
/// | anchors `&name` and aliases `*name` | they multiply what they name |
/// | a key that is no text | no section has such a key |
/// | a key that a section has twice | only one of the values would count |
/// | a zero byte in a text | system calls end a path or a command there |
struct ConfigurationSyntax {
  /// The mistakes, in the order of their lines.
  private(set) var faults: [ConfigurationFault] = []
  private var collections: [Collection] = []

  /// An open list or mapping.
  private struct Collection {
    /// True if the next node is a key; nil in a list.
    var expectsKey: Bool?
    /// The keys up to now.
    var keys: Set<String> = []
  }

  /// Reads the events of a text, in time and memory proportional to it. Stops at a text that is not YAML, which the
  /// composer reports.
  init(_ text: String) {
    if let line = Self.lineOfZero(in: text) {
      faults.append(ConfigurationFault(line: line, message: Self.zero))
      return
    }
    var text = text
    text.withUTF8 { bytes in
      var parser = yaml_parser_t()
      guard yaml_parser_initialize(&parser) == 1 else { return }
      defer { yaml_parser_delete(&parser) }
      yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      var isAtEnd = false
      while !isAtEnd {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else { return }
        read(event)
        isAtEnd = event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT
        yaml_event_delete(&event)
      }
    }
  }

  private static let zero = "a text contains a zero byte; remove it"

  private static func lineOfZero(in text: String) -> Int? {
    guard let index = text.utf8.firstIndex(of: 0) else { return nil }
    return 1 + text.utf8[..<index].reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
  }

  private mutating func read(_ event: yaml_event_t) {
    let line = Int(event.start_mark.line) + 1
    switch event.type {
    case YAML_ALIAS_EVENT:
      fault(line, "the file must not have aliases (*); write the value again, or put * into quotes")
      begin(key: nil, line)
    case YAML_SCALAR_EVENT:
      anchor(event.data.scalar.anchor, line)
      let bytes = UnsafeBufferPointer(start: event.data.scalar.value, count: event.data.scalar.length)
      if bytes.contains(0) { fault(line, Self.zero) }
      begin(key: String(decoding: bytes, as: UTF8.self), line)
    case YAML_SEQUENCE_START_EVENT:
      anchor(event.data.sequence_start.anchor, line)
      begin(key: nil, line)
      collections.append(Collection())
    case YAML_MAPPING_START_EVENT:
      anchor(event.data.mapping_start.anchor, line)
      begin(key: nil, line)
      collections.append(Collection(expectsKey: true))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: _ = collections.popLast()
    default: break
    }
  }

  /// Notes that a node begins, which is a key or the value of the key before it.
  ///
  /// - Parameter key: the text of the node; nil if it is no text.
  private mutating func begin(key: String?, _ line: Int) {
    guard let index = collections.indices.last, let isKey = collections[index].expectsKey else { return }
    collections[index].expectsKey = !isKey
    guard isKey else { return }
    guard let key else { return fault(line, "a key must be a word") }
    if !collections[index].keys.insert(key).inserted {
      fault(line, "the key “\(key)” appears twice; remove one")
    }
  }

  private mutating func anchor(_ anchor: UnsafeMutablePointer<yaml_char_t>?, _ line: Int) {
    guard anchor != nil else { return }
    fault(line, "the file must not have anchors (&); write each value out, or put & into quotes")
  }

  /// Adds a mistake. A line has each mistake once, however many nodes have it.
  private mutating func fault(_ line: Int, _ message: String) {
    let fault = ConfigurationFault(line: line, message: message)
    if faults.last != fault { faults.append(fault) }
  }
}
