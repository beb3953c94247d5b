import FileSystem

/// Looks through a JSON document before a parser does, in one pass and without recursion: RFC 8259 to the letter,
/// nested no deeper than allowed, and no key twice in an object, of which two programs would take two values.
///
/// Foundation's parser says neither where a document is broken nor that a key occurs twice.
struct JSONScan {
  /// Why a document is refused, and where.
  typealias Fault = Metadata.Fault

  private var text: JSONText
  private let maximumNesting: Int
  /// The objects and lists around the current place, the outermost first.
  private var open: [Container] = []

  private struct Container {
    /// Nil in a list.
    var keys: JSONKeys?
    /// Which value of it is being read, from 0.
    var index = 0
  }

  /// Checks a whole document.
  ///
  /// - Throws: `Fault` with the place.
  static func check(_ bytes: UnsafeBufferPointer<UInt8>, maximumNesting: Int) throws(Fault) {
    var scan = JSONScan(text: JSONText(bytes: bytes), maximumNesting: maximumNesting)
    try scan.document()
  }

  private mutating func document() throws(Fault) {
    var isValueNext = true
    text.skipBlanks()
    while true {
      if isValueNext {
        isValueNext = try value()
      } else if open.isEmpty {
        guard text.isAtEnd else { throw broken("more follows after its end") }
        return
      } else {
        isValueNext = try afterValue()
      }
      text.skipBlanks()
    }
  }

  /// Reads a value, or the beginning of one that holds others. Returns whether a value comes next.
  private mutating func value() throws(Fault) -> Bool {
    switch text.next {
    case UInt8(ascii: "{"):
      try enter(Container(keys: JSONKeys()))
      if text.next == UInt8(ascii: "}") { return leave() }
      try key()
      return true
    case UInt8(ascii: "["):
      try enter(Container())
      return text.next == UInt8(ascii: "]") ? leave() : true
    default:
      if let reason = text.skipScalar() { throw broken(reason) }
      return false
    }
  }

  private mutating func enter(_ container: Container) throws(Fault) {
    guard open.count < maximumNesting else {
      throw Fault(path: path, reason: "is nested deeper than \(maximumNesting) levels")
    }
    text.position += 1
    open.append(container)
    text.skipBlanks()
  }

  /// Goes past the end of the innermost container. No value comes next: false.
  private mutating func leave() -> Bool {
    text.position += 1
    open.removeLast()
    return false
  }

  /// A comma or the end of the container. Returns whether a value comes next.
  private mutating func afterValue() throws(Fault) -> Bool {
    let isObject = open[open.count - 1].keys != nil
    if text.next == UInt8(ascii: ",") {
      text.position += 1
      open[open.count - 1].index += 1
      text.skipBlanks()
      if isObject { try key() }
      return true
    }
    guard text.next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
      throw broken("a comma or the end of \(isObject ? "an object" : "a list") is missing")
    }
    return leave()
  }

  private mutating func key() throws(Fault) {
    guard text.next == UInt8(ascii: "\"") else { throw broken("a key is missing") }
    let start = text.position
    if let reason = text.skipScalar() { throw broken(reason) }
    let isNew = open[open.count - 1].keys?.insert(start..<text.position, of: text) ?? true
    guard isNew else { throw Fault(path: path, reason: "was given before in the same object") }
    text.skipBlanks()
    guard text.next == UInt8(ascii: ":") else { throw broken("a colon is missing") }
    text.position += 1
    text.skipBlanks()
  }

  private func broken(_ reason: String) -> Fault {
    Fault(path: path, reason: "not valid JSON: \(reason) at byte \(text.position)")
  }

  /// Where the scan is: `photos[3].id`. Long keys are cut.
  private var path: String {
    var path = ""
    for container in open {
      guard let keys = container.keys else {
        path += "[\(container.index)]"
        continue
      }
      guard let range = keys.last else { continue }
      path += (path.isEmpty ? "" : ".") + text.key(range).escaped
    }
    return path
  }
}
