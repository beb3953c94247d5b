/// The tokens of a statement. Versions of SQLite differ in the spaces and quotes of the statements that `ALTER TABLE`
/// stores; the tokens are equal.
struct SQLTokens {
  private(set) var tokens: [[UInt8]] = []

  /// Splits a statement. Drops spaces, comments, and the quotes of names that need none.
  init(_ sql: String) {
    let bytes = [UInt8](sql.utf8)
    var position = 0
    while position < bytes.count {
      let start = position
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: " "), 9, 10, 12, 13:
        position += 1
        continue
      case UInt8(ascii: "-") where bytes[start...].starts(with: "--".utf8):
        position = bytes[start...].firstIndex(of: 10) ?? bytes.count
        continue
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        position = bytes[(start + 1)...].firstIndex(of: byte).map { $0 + 1 } ?? bytes.count
        let content = bytes[min(start + 1, position)..<max(start + 1, position - 1)]
        let isName = byte == UInt8(ascii: "\"") && !content.isEmpty && content.allSatisfy(Self.isNamePart)
        tokens.append([UInt8](isName ? content : bytes[start..<position]))
        continue
      case _ where Self.isNamePart(byte):
        position = bytes[start...].firstIndex { !Self.isNamePart($0) } ?? bytes.count
      default:
        position += 1
      }
      tokens.append([UInt8](bytes[start..<position]))
    }
  }

  /// True for letters, digits, the underscore and bytes of other scripts.
  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x80...: true
    default: false
    }
  }
}
