import HTML
import Testing

/// Everything that is not a literal of the program is escaped.
struct HTMLDocumentTests {
  private func body(_ write: (inout HTMLDocument) -> Void) -> String {
    var document = HTMLDocument()
    write(&document)
    return String(document.source.dropFirst("<!DOCTYPE html>\n".count))
  }

  @Test(
    "HTML: text cannot become an element",
    arguments: [
      ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"), ("a & b", "a &amp; b"),
      ("&lt;", "&amp;lt;"), ("\"'", "\"'"), ("]]>", "]]&gt;"),
    ])
  func text(text: String, expected: String) {
    #expect(body { $0.text(text) } == expected)
  }

  @Test(
    "HTML: the value of an attribute cannot end the attribute",
    arguments: [("\" onclick=\"x", "&quot; onclick=&quot;x"), ("a>b", "a&gt;b"), ("'", "'")])
  func attribute(text: String, expected: String) {
    #expect(body { $0.element("p", ["title": text]) { _ in } } == "<p title=\"\(expected)\"></p>")
  }

  /// Noncharacters that the compiler refuses in a literal.
  private static let noncharacters = [0xFDD0, 0x10FFFE].compactMap(Unicode.Scalar.init).map(String.init)

  @Test(
    "HTML: control characters, changes of direction and noncharacters are replaced",
    arguments: ["\0", "\u{7}", "\u{85}", "\u{202E}", "\u{2066}", "\u{FFFF}"] + noncharacters)
  func controls(character: String) {
    #expect(body { $0.text("a\(character)b") } == "a\u{FFFD}b")
  }

  @Test("HTML: names of any script stay as they are, isolated from the text around them")
  func names() {
    #expect(body { $0.name("שבת 👨‍👩‍👧 Ünï") } == "<bdi>שבת 👨‍👩‍👧 Ünï</bdi>")
  }

  @Test("HTML: an attribute without a value is left out")
  func absent() {
    #expect(body { $0.element("a", ["href": nil, "id": "x"], text: "y") } == "<a id=\"x\">y</a>")
  }

  @Test("HTML: a policy allows only the style sheet with the digest")
  func policy() {
    // computed with: printf 'p{}' | openssl dgst -sha256 -binary | base64
    #expect(
      ContentSecurityPolicy(style: "p{}").value
        == "default-src 'none'; style-src 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='; base-uri 'none'; form-action 'none'"
    )
  }
}
