/// The fixed lengths of the records, in bytes. APPNOTE 4.3.
enum RecordLength {
  static let localHeader = 30
  static let directoryRecord = 46
  static let end = 22
  static let zip64End = 56
  static let zip64Locator = 20
  static let maximumComment = 65_535
}
