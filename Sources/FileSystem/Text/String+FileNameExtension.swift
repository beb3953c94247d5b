extension String {
  /// The text after the last dot of a file name, in lower case; nil without a dot.
  package var fileNameExtension: String? {
    lastIndex(of: ".").map { self[index(after: $0)...].lowercased() }
  }
}
