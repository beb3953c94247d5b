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

  /// The text of `JSONLine`, ten times as fast as an encoder: commands print hundreds of thousands of these lines.
  var json: String {
    var line = "{"
    Self.append("action", action, to: &line)
    if let category { Self.append("category", category, to: &line) }
    Self.append("item", item, to: &line)
    Self.append("message_type", messageType, to: &line)
    Self.append("name", name, to: &line)
    if let reason { Self.append("reason", reason, to: &line) }
    Self.append("source", source, to: &line)
    line += "}"
    return line
  }

  private static func append(_ key: String, _ value: String, to line: inout String) {
    if line.utf8.count > 1 { line += "," }
    line += "\""
    line += key
    line += "\":\""
    if value.utf8.contains(where: needsEscape) {
      for scalar in value.unicodeScalars { append(scalar, to: &line) }
    } else {
      line += value
    }
    line += "\""
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func append(_ scalar: Unicode.Scalar, to line: inout String) {
    switch scalar {
    case "\"": line += "\\\""
    case "\\": line += "\\\\"
    case "\u{8}": line += "\\b"
    case "\u{C}": line += "\\f"
    case "\n": line += "\\n"
    case "\r": line += "\\r"
    case "\t": line += "\\t"
    case ..<" ":
      let hex = String(scalar.value, radix: 16)
      line += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
    default: line.unicodeScalars.append(scalar)
    }
  }
}
