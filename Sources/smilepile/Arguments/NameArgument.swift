import ArgumentParser
import FileSystem
import PhotoLibrary

/// Names on the command line.
enum NameArgument {
  /// - Parameter subject: what has the name, in a sentence.
  /// - Throws: `ValidationError` if a category or photo cannot have the name.
  static func check(_ name: String, _ subject: String = "the name") throws {
    if let fault = NameRule.fault(in: name) {
      throw ValidationError("\(subject) “\(name.shortened.escaped)” \(fault)")
    }
  }
}
