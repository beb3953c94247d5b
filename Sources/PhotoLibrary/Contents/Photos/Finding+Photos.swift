import Operations

extension Finding {
  /// A photo whose file does not have the bytes that the library recorded.
  package static func differsFromRow(_ label: Finding.Subject) -> Finding {
    Finding(
      label, message: "the file of \(label) differs from its row in the library (MD5 or size)",
      remedy: .repairLibrary)
  }

  /// A photo without its file.
  package static func missingInLibrary(_ label: Finding.Subject) -> Finding {
    Finding(label, message: "\(label) is missing in the library", remedy: .repairLibrary)
  }
}
