/// The signatures of the records of a ZIP file. APPNOTE 4.3.
enum Signature {
  static let localHeader: UInt32 = 0x0403_4B50
  static let descriptor: UInt32 = 0x0807_4B50
  static let directoryRecord: UInt32 = 0x0201_4B50
  static let end: UInt32 = 0x0605_4B50
  static let zip64End: UInt32 = 0x0606_4B50
  static let zip64Locator: UInt32 = 0x0706_4B50
  /// At the start of an archive that was to be split but fitted into one file; `descriptor` is used there too.
  /// APPNOTE 8.5.4.
  static let temporarySpanning: UInt32 = 0x3030_4B50
}
