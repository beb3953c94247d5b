/// An HTML document that is written from its start to its end, and is escaped by construction. Names of elements and
/// attributes are literals of the program. Everything else is text or the value of an attribute.
/// https://html.spec.whatwg.org/multipage/syntax.html
package struct HTMLDocument: Sendable {
  /// The document so far.
  package private(set) var source = "<!DOCTYPE html>\n"

  /// Makes an empty document.
  package init() {}

  /// Appends text.
  package mutating func text(_ text: String) { append(text, isAttribute: false) }

  /// Appends a name of any script and direction, isolated from the text around it.
  package mutating func name(_ text: String) {
    element("bdi") { $0.text(text) }
  }

  /// Appends an element.
  ///
  /// - Parameters:
  ///   - name: the name of the element.
  ///   - attributes: the attributes; an attribute with the value nil is left out.
  ///   - content: appends the content.
  package mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
    _ content: (inout HTMLDocument) throws -> Void
  ) rethrows {
    open(name, attributes)
    try content(&self)
    source += "</\(name)>"
  }

  /// Appends an element with text.
  package mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:], text: String
  ) {
    element(name, attributes) { $0.text(text) }
  }

  /// Appends an element without content and without an end tag, such as `meta`.
  package mutating func void(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>) {
    open(name, attributes)
  }

  /// Appends the head of a page: no search engine lists the page, and no server learns its address from a link.
  package mutating func head(title: String, _ sheet: StyleSheet, _ policy: ContentSecurityPolicy) {
    element("head") { head in
      head.void("meta", ["charset": "utf-8"])
      head.void("meta", ["http-equiv": "Content-Security-Policy", "content": policy.value])
      head.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
      head.void("meta", ["name": "robots", "content": "noindex"])
      head.void("meta", ["name": "referrer", "content": "no-referrer"])
      head.element("title", text: title)
      head.source += "<style>\(sheet.source)</style>"
    }
  }

  /// Appends a script, which must be a literal of the program.
  package mutating func script(_ source: StaticString) { self.source += "<script>\(source)</script>" }

  /// Appends a line break, which readers of the source see.
  package mutating func newline() { source += "\n" }

  private mutating func open(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>) {
    source += "<\(name)"
    for (key, value) in attributes {
      guard let value else { continue }
      source += " \(key)=\""
      append(value, isAttribute: true)
      source += "\""
    }
    source += ">"
  }

  /// Escapes text, and replaces characters that a document must not contain.
  private mutating func append(_ text: String, isAttribute: Bool) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": source += "&amp;"
      case "<": source += "&lt;"
      case ">": source += "&gt;"
      case "\"" where isAttribute: source += "&quot;"
      case _ where scalar.isReplacedInDocuments: source += "\u{FFFD}"
      default: source.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// True for characters that documents for readers show as U+FFFD: controls, except line feeds and tabs, characters that
  /// change the direction of the text behind them, and noncharacters, which HTML forbids and cairo refuses.
  package var isReplacedInDocuments: Bool {
    switch self {
    case "\n", "\t": false
    case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
    default: properties.isNoncharacterCodePoint
    }
  }
}
