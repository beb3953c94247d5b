import FileSystem
import Testing

@Suite("escaped text")
struct EscapedTextTests {
  @Test(
    "what could forge a message is escaped",
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
}
