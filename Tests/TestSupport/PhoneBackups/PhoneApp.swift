/// An app of a certain version, which makes a backup of a phone.
package protocol PhoneApp: Sendable {
  /// Returns the part of the phone that the backup contains: the rows as the backup has them, and each photo with the
  /// bytes of its file, nil if the file is not included.
  func taken(from phone: Phone) -> Phone
  /// The document of the backup.
  func document(of phone: Phone) -> PhoneJSON
  /// The files below `photos/`, in the order of the rows.
  func files(of phone: Phone) -> [PhoneFile]
  /// The backup file, of this document and these files.
  func backup(_ document: PhoneJSON, _ files: [PhoneFile]) -> [UInt8]
}

/// A file of a backup below `photos/`.
package struct PhoneFile: Sendable {
  /// The name below `photos/`.
  package var name: String
  /// The content.
  package var bytes: [UInt8]

  /// A file.
  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

extension PhoneApp {
  /// The backup file of a phone.
  package func backup(of phone: Phone) -> [UInt8] { backup(document(of: phone), files(of: phone)) }

  /// The backup file of a phone after a change of its document.
  package func backup(of phone: Phone, _ change: (inout PhoneJSON) -> Void) -> [UInt8] {
    var document = document(of: phone)
    change(&document)
    return backup(document, files(of: phone))
  }
}
