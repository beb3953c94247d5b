/// The root object of a document. The caller reads its properties in any order.
struct JSONDocument {
  /// Why the document is refused.
  enum Refusal: Error {
    case mismatch(JSONReader.Mismatch)
    case fault(Metadata.Fault)
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let members: [JSONScan.Member]
  /// The offset of the object, in bytes.
  private let start: Int

  /// - Parameter members: the result of scanning these bytes.
  init(_ bytes: UnsafeBufferPointer<UInt8>, _ members: [JSONScan.Member]) throws(Refusal) {
    self.bytes = bytes
    self.members = members
    var text = JSONText(bytes: bytes)
    text.skipBlanks()
    start = text.position
    var reader = JSONReader(bytes, at: start)
    do { try reader.beginObject() } catch { throw .mismatch(error) }
  }

  /// Returns true if the object has a property with this name.
  func holds(_ name: StaticString) -> Bool { member(name) != nil }

  /// Reads a list of objects. Returns an empty list if the property is missing.
  ///
  /// - Parameters:
  ///   - maximum: the most elements.
  ///   - gaps: receives each row that lacks a required property, and the list itself if it is missing.
  func list<Row>(
    _ name: StaticString, atMost maximum: Int = .max, gaps: inout JSONGaps,
    _ row: (inout JSONReader) throws(JSONReader.Mismatch) -> Row
  ) throws(Refusal) -> [Row] {
    guard member(name)?.count ?? 0 <= maximum else {
      let reason = "has more than \(maximum) elements"
      throw .fault(Metadata.Fault(path: "\(name)", reason: reason, exceedsLimit: true))
    }
    let capacity = capacity(for: name)
    let rows = try property(name) { reader throws(JSONReader.Mismatch) in
      try reader.rows(of: name, capacity: capacity, gaps: &gaps, row)
    }
    if rows == nil { gaps.add(.list("\(name)")) }
    return rows ?? []
  }

  /// Reads a list of objects that may be missing or null.
  ///
  /// - Parameter gaps: receives each row that lacks a required property.
  func optionalList<Row>(
    _ name: StaticString, gaps: inout JSONGaps,
    _ row: (inout JSONReader) throws(JSONReader.Mismatch) -> Row
  ) throws(Refusal) -> [Row]? {
    let capacity = capacity(for: name)
    return try optional(name) { reader throws(JSONReader.Mismatch) in
      try reader.rows(of: name, capacity: capacity, gaps: &gaps, row)
    }
  }

  /// Returns the number of rows to reserve memory for, because an array that grows needs twice its memory. At most as many
  /// as a document of this size can have, because the elements of the list may be no rows.
  private func capacity(for name: StaticString) -> Int {
    let leastBytesOfRow = 40
    return min(member(name)?.count ?? 0, bytes.count / leastBytesOfRow)
  }

  /// Reads a property that may be missing or null.
  func optional<Value>(
    _ name: StaticString, _ read: (inout JSONReader) throws(JSONReader.Mismatch) -> Value
  ) throws(Refusal) -> Value? {
    try property(name) { reader throws(JSONReader.Mismatch) in try reader.optional(read) } ?? nil
  }

  private func property<Value>(
    _ name: StaticString, _ read: (inout JSONReader) throws(JSONReader.Mismatch) -> Value
  ) throws(Refusal) -> Value? {
    guard let member = member(name) else { return nil }
    var reader = JSONReader(bytes, at: member.value)
    do { return try read(&reader) } catch { throw .mismatch(error) }
  }

  private func member(_ name: StaticString) -> JSONScan.Member? {
    let text = JSONText(bytes: bytes)
    return members.first { name ~= JSONKey($0.key, of: text) }
  }
}
