import ArgumentParser

/// A file or folder on the command line.
enum PathArgument {
  /// Returns the name. Refuses an empty name, which comes from an unset variable and would mean the working
  /// folder or a file without a name.
  static func parse(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("the name is empty") }
    return text
  }
}
