extension String {
  /// The text for a message: without its middle if it is very long. A text of a file may have thousands of bytes, and
  /// escaping it multiplies them.
  package var shortened: String {
    guard utf8.count > 400, unicodeScalars.count > 300 else { return self }
    return "\(String(unicodeScalars.prefix(200)))…\(String(unicodeScalars.suffix(100)))"
  }
}
