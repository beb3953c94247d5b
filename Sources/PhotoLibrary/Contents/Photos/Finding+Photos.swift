import Operations

extension Finding {
  /// A photo whose file does not have the bytes that the library recorded.
  package static func corruptInLibrary(_ label: Finding.Subject) -> Finding {
    Finding(
      label, message: "\(label) is corrupt in the library (MD5 or size differs from the one recorded)",
      remedy: .repairLibrary)
  }

  /// A photo without its file.
  package static func missingInLibrary(_ label: Finding.Subject) -> Finding {
    Finding(label, message: "\(label) is missing in the library", remedy: .repairLibrary)
  }
}
