/// Makes the output to a terminal readable.
enum Screen {
  /// The text without escape sequences. A line that was redrawn in place (by a carriage return) appears once for each
  /// drawing, each on its own line. Empty drawings are omitted.
  static func visibleText(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x1B: skipEscapeSequence(&rest)
      case UInt8(ascii: "\r"):
        // A terminal turns each line feed into \r\n. A return without a line feed moves to the first column.
        if rest.first != UInt8(ascii: "\n"), let last = text.last, last != UInt8(ascii: "\n") {
          text.append(UInt8(ascii: "\n"))
        }
      default: text.append(byte)
      }
    }
    return text
  }

  /// ECMA-48: `ESC [`, parameters, one final byte of 0x40…0x7E; other sequences are one byte long.
  private static func skipEscapeSequence(_ rest: inout ArraySlice<UInt8>) {
    guard rest.popFirst() == UInt8(ascii: "[") else { return }
    while let byte = rest.popFirst(), !(0x40...0x7E).contains(byte) {}
  }
}
