/// A valid document whose root is an object. The caller reads its properties in any order.
struct JSONDocument {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let members: [JSONScan.Member]

  /// Scans a document. RFC 8259, section 8.1: a parser may ignore a byte order mark.
  ///
  /// - Parameters:
  ///   - bytes: the document, which must outlive this value.
  ///   - maximumNesting: the deepest nesting of objects and lists.
  /// - Throws: `Metadata.Fault` with the path, if the document is not UTF-8, not valid JSON, or not an object.
  init(_ bytes: UnsafeBufferPointer<UInt8>, maximumNesting: Int) throws(Metadata.Fault) {
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    self.bytes = UnsafeBufferPointer(rebasing: bytes[(hasMark ? 3 : 0)...])
    guard (try? UTF8Span(validating: self.bytes.span)) != nil else {
      throw Metadata.Fault(path: "", reason: "the text is not valid UTF-8", isMalformed: true)
    }
    members = try JSONScan.check(self.bytes, maximumNesting: maximumNesting)
    var text = JSONText(bytes: self.bytes)
    text.skipBlanks()
    _ = try read(at: text.position) { json throws(JSONReader.Mismatch) in try json.beginObject() }
  }

  /// The keys of the object, in the order of the document.
  var keys: [String] { members.map { JSONKey($0.key, of: JSONText(bytes: bytes)).text } }

  /// Returns true if the object has a property with this name.
  func holds(_ name: StaticString) -> Bool { member(name) != nil }

  /// Reads a property. Returns nil if it is missing or null.
  func value<Value: FieldValue>(_ name: StaticString) throws(Metadata.Fault) -> Value? {
    try value(name) { json throws(JSONReader.Mismatch) in try Value.read(from: &json) }
  }

  /// Reads a property by a function. Returns nil if it is missing or null.
  func value<Value>(
    _ name: StaticString, _ value: (inout JSONReader) throws(JSONReader.Mismatch) -> Value
  ) throws(Metadata.Fault) -> Value? {
    guard let member = member(name) else { return nil }
    return try read(at: member.value) { json throws(JSONReader.Mismatch) in
      json.isNull() ? nil : try value(&json)
    }
  }

  /// Reads a list of objects. Returns an empty list if the property is missing.
  ///
  /// - Parameters:
  ///   - isOptional: true if the list may be missing or null.
  ///   - maximum: the most elements.
  ///   - gaps: receives each row that lacks a required property, and the list itself if it is missing.
  func rows<Row>(
    _ name: StaticString, isOptional: Bool = false, atMost maximum: Int = .max, gaps: inout JSONGaps,
    _ row: (inout JSONReader) throws(JSONReader.Mismatch) -> Row
  ) throws(Metadata.Fault) -> [Row] {
    guard let member = member(name) else {
      if !isOptional { gaps.add(list: name) }
      return []
    }
    guard member.count <= maximum else {
      let reason = "has more than \(maximum) elements"
      throw Metadata.Fault(path: "\(name)", reason: reason, exceedsLimit: true)
    }
    // an array that grows needs twice its memory; the elements of the list may be no rows, so that the document may have
    // more of them than it can have rows
    let leastBytesOfRow = 40
    let capacity = min(member.count, bytes.count / leastBytesOfRow)
    return try read(at: member.value) { json throws(JSONReader.Mismatch) in
      if isOptional, json.isNull() { return [] }
      return try json.rows(of: name, capacity: capacity, gaps: &gaps, row)
    }
  }

  private func read<Value>(
    at position: Int, _ value: (inout JSONReader) throws(JSONReader.Mismatch) -> Value
  ) throws(Metadata.Fault) -> Value {
    var reader = JSONReader(bytes, at: position)
    do throws(JSONReader.Mismatch) {
      return try value(&reader)
    } catch {
      throw Metadata.Fault(error, in: bytes)
    }
  }

  private func member(_ name: StaticString) -> JSONScan.Member? {
    let text = JSONText(bytes: bytes)
    return members.first { name ~= JSONKey($0.key, of: text) }
  }
}
