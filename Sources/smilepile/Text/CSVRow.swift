import FileSystem

/// A row of a table in the CSV format (RFC 4180), for spreadsheets.
struct CSVRow {
  /// How texts are written.
  enum Style {
    /// Control characters are escaped, and a spreadsheet takes no text for a formula. Begins with a byte order mark, by
    /// which spreadsheets recognize UTF-8.
    case spreadsheet
    /// Unchanged.
    case raw

    /// The characters before the first row.
    var start: String { self == .spreadsheet ? "\u{FEFF}" : "" }
  }

  private let style: Style
  private var fields = ""
  private var isFirst = true

  /// The row with its line end.
  var text: String { "\(fields)\r\n" }

  init(_ style: Style) { self.style = style }

  /// Appends a field.
  mutating func append(_ value: some BinaryInteger) { append(field: "\(value)") }

  /// Appends a field; an empty one for nil.
  mutating func append(_ text: String?) {
    guard var text else { return append(field: "") }
    if style == .spreadsheet {
      text = text.escaped
      if let first = text.unicodeScalars.first, Self.beginFormulas.contains(first) { text = "'\(text)" }
    }
    append(
      field: text.utf8.contains(where: Self.needsQuotes) ? "\"\(text.replacing("\"", with: "\"\""))\"" : text)
  }

  private mutating func append(field: String) {
    if !isFirst { fields += "," }
    isFirst = false
    fields += field
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
