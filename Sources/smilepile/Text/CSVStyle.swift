import FileSystem

/// How the texts of a table in the CSV format (RFC 4180) are written.
enum CSVStyle {
  /// Control characters are escaped, and a spreadsheet takes no text for a formula. Begins with a byte order mark, by
  /// which spreadsheets recognize UTF-8.
  case spreadsheet
  /// Unchanged.
  case raw

  /// The characters before the first row.
  var start: String { self == .spreadsheet ? "\u{FEFF}" : "" }

  /// Returns a row with its line end. A value that is nil becomes an empty field.
  func row(_ values: [(any CSVValue)?]) -> String {
    values.map { $0?.csv(self) ?? "" }.joined(separator: ",") + "\r\n"
  }
}

/// A value of a row.
protocol CSVValue {
  /// Returns the value as a field.
  func csv(_ style: CSVStyle) -> String
}

extension BinaryInteger where Self: CSVValue {
  func csv(_ style: CSVStyle) -> String { "\(self)" }
}

extension Int: CSVValue {}
extension Int64: CSVValue {}

extension String: CSVValue {
  func csv(_ style: CSVStyle) -> String {
    var text = self
    if style == .spreadsheet {
      text = text.escaped
      if let first = text.unicodeScalars.first, Self.beginFormulas.contains(first) { text = "'\(text)" }
    }
    return text.utf8.contains(where: Self.needsQuotes) ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
  }

  /// The characters that begin a formula in a spreadsheet, also in their full-width forms.
  private static let beginFormulas = Set("=+-@＝＋－＠\t\r\n".unicodeScalars)

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
    default: false
    }
  }
}
