import FileSystem
import Testing

@Suite("escaped text")
struct EscapedTextTests {
  @Test(
    "Escaped text: controls and invisible characters are escaped, and escaping twice changes nothing",
    arguments: [
      ("a.jpg", "a.jpg"), ("a\nb\r\n\t", "a\\nb\\r\\n\\t"), ("\u{1B}[2J", "\\u{1B}[2J"),
      ("x\u{202E}gpj", "x\\u{202E}gpj"), ("\u{9B}m\u{7F}\u{0}", "\\u{9B}m\\u{7F}\\u{0}"),
      ("👨‍👩‍👧 e\u{301} العربية", "👨‍👩‍👧 e\u{301} العربية"), ("\u{2028}\u{2066}", "\\u{2028}\\u{2066}"),
      ("a\u{200B}b\u{FEFF}", "a\\u{200B}b\\u{FEFF}"),
    ])
  func escaping(text: String, escaped: String) {
    #expect(text.escaped == escaped)
    #expect(text.escaped.escaped == escaped)
  }

  @Test(
    "Escaped text: every default-ignorable character between letters is escaped",
    arguments: [
      0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E,
      0x200F, 0x202A,
      0x202E, 0x2028, 0x2029, 0x2060, 0x2065, 0x206F, 0x2800, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0,
      0xFFF9,
      0xFFFB,
      0xFFFE, 0x1BCA0, 0x1D173, 0xE0000, 0xE0001, 0xE0020, 0xE0041, 0xE007F, 0xE0100, 0xE0FFF,
    ])
  func invisible(value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    let hex = String(value, radix: 16, uppercase: true)
    #expect("a\(Character(scalar))b".escaped == "a\\u{\(hex)}b")
  }

  @Test("Escaped text: every character of the first plane alone is escaped if Unicode calls it invisible")
  func firstPlane() {
    let drawn: Set<UInt32> = [0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2]
    for scalar in (UInt32(0x20)...0xFFFF).compactMap(Unicode.Scalar.init) {
      let properties = scalar.properties
      let isInvisible =
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
        || properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
        || scalar.value == 0x2800
      let text = "a\(Character(scalar))b"
      let isEscaped = isInvisible && !drawn.contains(scalar.value)
      #expect((text.escaped != text) == isEscaped, "U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test(
    "Escaped text: joiners and selectors stay where they change what is drawn",
    arguments: [
      "👨‍👩‍👧‍👦", "🏳️‍🌈", "🏴‍☠️", "👩🏽‍⚕️", "❤️‍🔥", "👁️‍🗨️", "1️⃣", "#️⃣", "☀︎", "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
      "می\u{200C}خواهم", "ශ්\u{200D}රී", "क्\u{200C}ष", "র\u{200D}্য", "葛\u{E0100}城", "ᠠ\u{180B}",
    ])
  func readable(text: String) {
    #expect(text.escaped == text)
  }

  @Test(
    "Escaped text: joiners, selectors and tags are escaped where they draw nothing",
    arguments: [
      ("👨\u{200D}", "👨\\u{200D}"), ("\u{200D}👨", "\\u{200D}👨"),
      ("👨\u{200D}\u{200D}👩", "👨\\u{200D}\\u{200D}👩"),
      ("👨\u{200C}👩", "👨\\u{200C}👩"), ("☀\u{FE0F}\u{FE0F}", "☀\u{FE0F}\\u{FE0F}"), ("1\u{FE0F}", "1\\u{FE0F}"),
      ("IMG\u{200D}1", "IMG\\u{200D}1"), ("葛\u{E0100}\u{E0101}", "葛\u{E0100}\\u{E0101}"),
      ("🏴\u{E0078}\u{E007F}", "🏴\\u{E0078}\\u{E007F}"), ("a\u{E0067}", "a\\u{E0067}"),
    ])
  func misplaced(text: String, escaped: String) {
    #expect(text.escaped == escaped)
    #expect(text.escaped.escaped == escaped)
  }

  @Test("Escaped lines: line feeds and tabs stay, other controls are escaped")
  func lines() {
    #expect("a\tb\n\u{1B}[2J\r\n".escapedLines == "a\tb\n\\u{1B}[2J\\r\n")
  }

  @Test("Escaped lines: the time is proportional to the length of the text")
  func manyLines() {
    let text = String(repeating: "4000×3000\n", count: 500_000)
    #expect(text.escapedLines.utf8.count == text.utf8.count)
  }

  @Test("Escaped JSON: unsafe characters become escapes of JSON, and emoji stay")
  func json() {
    let text = "{\"a\":\"\u{7F}\u{9B}\u{202E}\u{E0041}👨‍👩‍👧é\"}\n"
    #expect(text.escapedJSON == "{\"a\":\"\\u007f\\u009b\\u202e\\udb40\\udc41👨‍👩‍👧é\"}\n")
  }
}
