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
  /// - Parameter gaps: receives each row that lacks a required property, and the list itself if it is missing.
  func list<Row>(
    _ name: StaticString, gaps: inout [JSONGap],
    _ row: (inout JSONReader) throws(JSONReader.Mismatch) -> Row
  ) throws(Refusal) -> [Row] {
    let rows = try property(name) { reader throws(JSONReader.Mismatch) in
      try reader.rows(of: name, gaps: &gaps, row)
    }
    if rows == nil { gaps.append(.list("\(name)")) }
    return rows ?? []
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
