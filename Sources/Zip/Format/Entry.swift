/// One entry of an archive, as its directory declares it and as its local header confirms it.
package struct Entry: Sendable, Equatable {
  /// How an entry is encrypted.
  package enum Encryption: Sendable, Equatable {
    /// Not at all.
    case none
    /// The traditional, weak encryption. APPNOTE 6.
    case traditional
    /// WinZip's AES, extra field 0x9901. `hasCRC` is false for AE-2, whose checksum field is zero and whose
    /// authentication code alone vouches for the bytes.
    case aes(keyBits: Int, hasCRC: Bool)
  }

  /// The place in the directory, from 0.
  package let index: Int
  /// The name: UTF-8 under flag bit 11, or by the Unicode path field 0x7075 if that belongs to this name,
  /// or because the bytes are valid UTF-8; else the bytes read as code page 437. APPNOTE 4.6.9, appendix D.
  package let name: String
  /// The name's bytes where they are not the UTF-8 of `name`.
  let otherRawName: [UInt8]?
  /// Bytes in the archive, including what encryption adds.
  package let compressedSize: Int
  /// Bytes after reading.
  package let size: Int
  /// The checksum of the bytes after reading; 0 for AE-2.
  package let crc32: UInt32
  /// The compression method, 0 stored and 8 deflated; under AES the one inside. APPNOTE 4.4.5.
  package let method: UInt16
  /// The general purpose flags of the directory. APPNOTE 4.4.4.
  package let flags: UInt16
  /// How the entry is encrypted.
  package let encryption: Encryption
  /// Where the local header begins, in bytes from the start of the file.
  package let headerOffset: Int
  /// Where the data begins, in bytes from the start of the file.
  package internal(set) var dataOffset: Int
  /// The date of the last change, in milliseconds since 1970, from the extra fields 0x5455 or 0x000A; nil if
  /// there is only the DOS date, which knows no time zone.
  package let modified: Int64?
  /// DOS time (low half) and date. APPNOTE 4.4.6. The traditional encryption checks passwords with it.
  let dosTime: UInt32
  /// The system that made the entry: 0 DOS, 3 Unix, 19 Darwin. APPNOTE 4.4.2.
  package let madeBy: UInt8
  /// The attributes in the manner of that system; under Unix the mode is the upper half.
  package let externalAttributes: UInt32

  /// The name as it stands in the archive.
  package var rawName: [UInt8] { otherRawName ?? Array(name.utf8) }
  /// Whether a password is needed to read it.
  package var isEncrypted: Bool { encryption != .none }
  /// Whether it is a folder: its name ends in a slash. APPNOTE 4.3.8.
  package var isDirectory: Bool { name.utf8.last == UInt8(ascii: "/") }
  /// Whether its bytes stand in the archive as they are, from `dataOffset` on.
  package var isPlain: Bool { method == 0 && encryption == .none }
}
