import ArgumentParser

/// A file or folder on the command line.
enum PathArgument {
  /// An empty name comes from a variable that is not set, and would be taken for the working folder or for a file
  /// without a name.
  static func parse(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("the name is empty") }
    return text
  }
}
