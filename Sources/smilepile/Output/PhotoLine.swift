import Operations

/// What happened to a photo, as a line of JSON or text.
struct PhotoLine: Encodable {
  let messageType = "photo"
  var action: String
  var category: String?
  var item: String
  var name: String
  var reason: String?
  var source: String

  init(_ report: PhotoReport) {
    (action, item, reason) = (report.action.rawValue, report.item, report.reason)
    (name, category, source) = (report.name, report.category, report.source)
  }

  /// `left out: photo 7 “IMG_0001” in “Family”: its file is not in the archive`.
  var text: String {
    "\(action.replacing("_", with: " ")): \(item)" + (reason.map { ": \($0)" } ?? "")
  }

  /// The text of `JSONLine`, tens of times as fast as an encoder: commands print hundreds of thousands of these lines.
  var json: String {
    var line: [UInt8] = []
    line.reserveCapacity(150 + item.utf8.count + name.utf8.count + source.utf8.count)
    Self.append("{\"action\":", action, to: &line)
    if let category { Self.append(",\"category\":", category, to: &line) }
    Self.append(",\"item\":", item, to: &line)
    Self.append(",\"message_type\":", messageType, to: &line)
    Self.append(",\"name\":", name, to: &line)
    if let reason { Self.append(",\"reason\":", reason, to: &line) }
    Self.append(",\"source\":", source, to: &line)
    line.append(UInt8(ascii: "}"))
    return String(decoding: line, as: UTF8.self)
  }

  private static func append(_ key: StaticString, _ value: String, to line: inout [UInt8]) {
    line.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    line.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { bytes in
      // most values need no escape and are copied at once
      var copied = 0
      for (index, byte) in bytes.enumerated() where needsEscape(byte) {
        line.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<index]))
        line.append(contentsOf: escape(of: byte).utf8)
        copied = index + 1
      }
      line.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied...]))
    }
    line.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func escape(of byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\""): return "\\\""
    case UInt8(ascii: "\\"): return "\\\\"
    case 0x08: return "\\b"
    case 0x0C: return "\\f"
    case 0x0A: return "\\n"
    case 0x0D: return "\\r"
    case 0x09: return "\\t"
    default:
      let hex = String(byte, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
    }
  }
}
