/// The general purpose flags that reading needs. APPNOTE 4.4.4.
enum Flag {
  static let encrypted: UInt16 = 1 << 0
  static let descriptor: UInt16 = 1 << 3
  static let patchedData: UInt16 = 1 << 5
  static let strongEncryption: UInt16 = 1 << 6
  static let utf8: UInt16 = 1 << 11
  static let maskedHeaders: UInt16 = 1 << 13
}
