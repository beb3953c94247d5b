import FileSystem

/// Looks through a JSON document before it is read, in one pass and without recursion: RFC 8259 to the letter,
/// nested no deeper than allowed, and no key twice in an object, of which two programs would take two values.
///
/// What is read afterwards need not look for any of that, and may read the document's properties in the order in
/// which they matter.
struct JSONScan {
  /// Why a document is refused, and where.
  typealias Fault = Metadata.Fault

  private var text: JSONText
  private let maximumNesting: Int
  /// The objects and lists around the current place, the outermost first.
  private var open: [Container] = []

  /// The keys of all of them, as they stand there with their quotes.
  private var keys: [Range<Int>] = []
  /// The keys without escapes of those objects that have many, or one with an escape, by the place in `open`.
  private var manyKeys: [Int: Set<[UInt8]>] = [:]
  private(set) var members: [Member] = []

  private struct Container {
    var isObject: Bool
    /// Where its keys begin among all.
    var firstKey: Int
    /// Which value of it is being read, from 0.
    var index = 0
  }

  /// A property of the document's own object.
  struct Member {
    /// The key with its quotes.
    var key: Range<Int>
    /// Where its value begins.
    var value: Int
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>, maximumNesting: Int) {
    text = JSONText(bytes: bytes)
    self.maximumNesting = maximumNesting
  }

  /// Checks a whole document.
  ///
  /// - Returns: the properties of its object.
  /// - Throws: `Fault` with the place.
  static func check(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumNesting: Int
  ) throws(Fault) -> [Member] {
    var scan = JSONScan(bytes, maximumNesting: maximumNesting)
    try scan.read(to: bytes.count)
    return scan.members
  }

  /// Where in a document that has passed a value stands, as `photos[3].id`.
  static func path(_ bytes: UnsafeBufferPointer<UInt8>, ofValueAt position: Int) -> String {
    var scan = JSONScan(bytes, maximumNesting: .max)
    try? scan.read(to: position)
    return scan.path
  }

  /// Reads on until the value at a place is next, or to the document's end.
  private mutating func read(to end: Int) throws(Fault) {
    var isValueNext = true
    text.skipBlanks()
    while true {
      if isValueNext {
        if text.position == end, end < text.bytes.count { return }
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
      throw Fault(path: path, reason: "is nested deeper than \(maximumNesting) levels", isTooDeep: true)
    }
    text.position += 1
    open.append(Container(isObject: isObject, firstKey: keys.count))
    text.skipBlanks()
  }

  /// Goes past the end of the innermost container. No value comes next: false.
  private mutating func leave() -> Bool {
    text.position += 1
    let container = open.removeLast()
    keys.removeLast(keys.count - container.firstKey)
    if !manyKeys.isEmpty { manyKeys[open.count] = nil }
    return false
  }

  /// A comma or the end of the container. Returns whether a value comes next.
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
    let isNew = isNew(key)
    keys.append(key)
    guard isNew else { throw Fault(path: path, reason: "was given before in the same object") }
    text.skipBlanks()
    guard text.next == UInt8(ascii: ":") else { throw broken("a colon is missing") }
    text.position += 1
    text.skipBlanks()
    if open.count == 1 { members.append(Member(key: key, value: text.position)) }
  }

  /// Whether a key is the first of its kind in the innermost object. The few keys of the usual object are looked
  /// through one by one.
  private mutating func isNew(_ key: Range<Int>) -> Bool {
    let place = open.count - 1
    let first = open[place].firstKey
    let bytes = UnsafeBufferPointer(rebasing: text.bytes[key])
    if manyKeys.isEmpty || manyKeys[place] == nil {
      if keys.count - first < 24, !bytes.contains(UInt8(ascii: "\\")) {
        for other in keys[first...] where other.count == key.count {
          if UnsafeBufferPointer(rebasing: text.bytes[other]).elementsEqual(bytes) { return false }
        }
        return true
      }
      manyKeys[place] = Set(keys[first...].map { text.unescaped($0) })
    }
    return manyKeys[place, default: []].insert(text.unescaped(key)).inserted
  }

  private func broken(_ reason: String) -> Fault {
    Fault(path: path, reason: "not valid JSON: \(reason) at byte \(text.position)")
  }

  /// Where the scan is: `photos[3].id`. Long keys are cut, and the middle of a long path is left out.
  private var path: String {
    var path = ""
    for (place, container) in open.enumerated() {
      guard container.isObject else {
        path += "[\(container.index)]"
        continue
      }
      let end = place + 1 < open.count ? open[place + 1].firstKey : keys.count
      guard end > container.firstKey else { continue }
      path += (path.isEmpty ? "" : ".") + text.key(keys[end - 1]).escaped
    }
    return path.count > 120 ? "\(path.prefix(60))…\(path.suffix(40))" : path
  }
}
