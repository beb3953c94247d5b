/// A backup in one of the shapes that released or compiled versions of the apps wrote, and the phone of the backup.
package struct PhoneBackup: Sendable {
  /// The shape, and how this backup differs from others of the same shape: "A13 without exportDate".
  package var label: String
  /// The app that made it, and when that version was in use.
  package var origin: String
  /// The app that made it; nil for an export of the export manager, which no import restores.
  package var app: (any PhoneApp)?
  /// The phone.
  package var phone: Phone
  /// The file.
  package var bytes: [UInt8]

  /// A backup of a phone by an app.
  package init(
    _ label: String, _ origin: String, _ app: any PhoneApp, _ phone: Phone,
    change: (inout PhoneJSON) -> Void = { _ in }
  ) {
    self.label = label
    self.origin = origin
    self.app = app
    self.phone = phone
    bytes = app.backup(of: phone, change)
  }

  /// A file of the export manager.
  package init(_ label: String, _ origin: String, exported bytes: [UInt8], of phone: Phone) {
    self.label = label
    self.origin = origin
    self.phone = phone
    self.bytes = bytes
  }

  /// The rows in the file, with the bytes of their files.
  package var taken: Phone { app?.taken(from: phone) ?? Phone() }

  /// Whether the file is a ZIP.
  package var isArchive: Bool { bytes.starts(with: [0x50, 0x4B]) }

  /// A file name as the app chooses it.
  package var fileName: String {
    let name = label.replacing(" ", with: "_").replacing(/[^A-Za-z0-9_]/, with: "")
    return name + (isArchive ? ".zip" : ".json")
  }
}

extension PhoneBackup: CustomStringConvertible {
  /// The label.
  package var description: String { label }
}
