import FileSystem
import Zip

/// Validates a JSON document in one pass, without recursion, before the document is read. Enforces RFC 8259
/// strictly, a maximum nesting, and unique keys in each object, because two programs would choose different values
/// of a duplicate key.
///
/// The reader need not check any of these, and may read the document's properties in the order that it needs.
struct JSONScan {
  /// Why a document is refused, and where.
  typealias Fault = Metadata.Fault

  private var text: JSONText
  private let maximumNesting: Int
  /// The objects and lists around the current position, outermost first.
  private var open: [Container] = []

  /// The keys of all open containers with their quotes, as ranges of the document.
  private var keys: [Range<Int>] = []
  /// The unescaped keys of objects that have many keys or an escaped key, by index in `open`.
  private var manyKeys: [Int: Set<[UInt8]>] = [:]
  private(set) var members: [Member] = []

  private struct Container {
    var isObject: Bool
    /// The index of its first key in `keys`.
    var firstKey: Int
    /// The index of its current value, from 0.
    var index = 0
  }

  /// A property of the document's root object.
  struct Member {
    /// The range of the key with its quotes.
    var key: Range<Int>
    /// The offset of the value.
    var value: Int
    /// The number of elements, if the value is a list that is not empty.
    var count = 0
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>, maximumNesting: Int) {
    text = JSONText(bytes: bytes)
    self.maximumNesting = maximumNesting
  }

  /// Checks a complete document.
  ///
  /// - Returns: the properties of its root object.
  /// - Throws: `Fault` with the path.
  static func check(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumNesting: Int
  ) throws(Fault) -> [Member] {
    var scan = JSONScan(bytes, maximumNesting: maximumNesting)
    try scan.read(to: bytes.count)
    return scan.members
  }

  /// Returns the path of a value in a valid document, for example `photos[3].id`.
  static func path(_ bytes: UnsafeBufferPointer<UInt8>, ofValueAt position: Int) -> String {
    var scan = JSONScan(bytes, maximumNesting: .max)
    try? scan.read(to: position)
    return scan.path
  }

  /// Reads until the value at `end` is next, or to the end of the document.
  private mutating func read(to end: Int) throws(Fault) {
    var isValueNext = true
    text.skipBlanks()
    while true {
      if isValueNext {
        if text.position == end, end < text.bytes.count { return }
        isValueNext = try value()
      } else if open.isEmpty {
        guard text.isAtEnd else { throw broken("there is text after the end") }
        return
      } else {
        isValueNext = try afterValue()
      }
      text.skipBlanks()
    }
  }

  /// Reads a scalar, or the beginning of a container. Returns true if a value comes next.
  private mutating func value() throws(Fault) -> Bool {
    switch text.next {
    case UInt8(ascii: "{"):
      try enter(isObject: true)
      if text.next == UInt8(ascii: "}") { return leave() }
      try key()
      return true
    case UInt8(ascii: "["):
      try enter(isObject: false)
      return text.next == UInt8(ascii: "]") ? leave() : true
    default:
      if let reason = text.skipScalar() { throw broken(reason) }
      return false
    }
  }

  private mutating func enter(isObject: Bool) throws(Fault) {
    guard open.count < maximumNesting else {
      throw Fault(path: path, reason: "is nested deeper than \(maximumNesting) levels", exceedsLimit: true)
    }
    text.position += 1
    open.append(Container(isObject: isObject, firstKey: keys.count))
    text.skipBlanks()
  }

  /// Advances past the end of the innermost container. Returns false: no value comes next.
  private mutating func leave() -> Bool {
    text.position += 1
    let container = open.removeLast()
    keys.removeLast(keys.count - container.firstKey)
    if open.count == 1, !members.isEmpty { members[members.count - 1].count = container.index + 1 }
    if !manyKeys.isEmpty { manyKeys[open.count] = nil }
    return false
  }

  /// Reads a comma or the end of the container. Returns true if a value comes next.
  private mutating func afterValue() throws(Fault) -> Bool {
    let isObject = open[open.count - 1].isObject
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
    let key = start..<text.position
    guard keys.count < Metadata.maximumElements else {
      throw Fault(path: path, reason: "has more than \(Metadata.maximumElements) keys", exceedsLimit: true)
    }
    let isNew = isNew(key)
    keys.append(key)
    guard isNew else { throw Fault(path: path, reason: "appears twice in the same object") }
    text.skipBlanks()
    guard text.next == UInt8(ascii: ":") else { throw broken("a colon is missing") }
    text.position += 1
    text.skipBlanks()
    if open.count == 1 { members.append(Member(key: key, value: text.position)) }
  }

  /// Returns true if the innermost object does not have the key yet. Searches linearly while the object has few
  /// keys.
  private mutating func isNew(_ key: Range<Int>) -> Bool {
    let level = open.count - 1
    let first = open[level].firstKey
    let document = UnsafeRawBufferPointer(text.bytes)
    let bytes = UnsafeRawBufferPointer(rebasing: document[key])
    if manyKeys.isEmpty || manyKeys[level] == nil {
      if keys.count - first < 24, !text.isEscaped {
        for other in keys[first...] where other.count == key.count {
          if UnsafeRawBufferPointer(rebasing: document[other]).hasSameBytes(as: bytes) { return false }
        }
        return true
      }
      manyKeys[level] = Set(keys[first...].map { text.unescaped($0) })
    }
    return manyKeys[level, default: []].insert(text.unescaped(key)).inserted
  }

  private func broken(_ reason: String) -> Fault {
    Fault(path: path, reason: "not valid JSON: \(reason) at byte \(text.position)", isMalformed: true)
  }

  /// The path of the current position, for example `photos[3].id`. Shortens long keys, and omits the middle of a
  /// long path.
  private var path: String {
    var path = ""
    for (level, container) in open.enumerated() {
      guard container.isObject else {
        path += "[\(container.index)]"
        continue
      }
      let end = level + 1 < open.count ? open[level + 1].firstKey : keys.count
      guard end > container.firstKey else { continue }
      path += (path.isEmpty ? "" : ".") + text.key(keys[end - 1]).escaped
    }
    return path.count > 120 ? "\(path.prefix(60))…\(path.suffix(40))" : path
  }
}
