import Operations

/// An entry of an archive: what the directory declares, and the local header confirms.
package struct Entry: Sendable, Equatable {
  /// How an entry is encrypted.
  package enum Encryption: Sendable, Equatable {
    /// Not at all.
    case none
    /// The traditional, weak encryption. APPNOTE 6.
    case traditional
    /// WinZip's AES, extra field 0x9901. `hasCRC` is false for AE-2, whose checksum field is zero: only its
    /// authentication code protects the bytes.
    case aes(keyBits: Int, hasCRC: Bool)

    /// Returns the value of a checksum field; nil if AE-2 leaves it out.
    func known(_ crc32: UInt32) -> UInt32? {
      if case .aes(_, hasCRC: false) = self, crc32 == 0 { nil } else { crc32 }
    }
  }

  /// The index in the directory.
  package internal(set) var index: Int
  /// The name. It is UTF-8 if flag bit 11 is set, if the Unicode path field 0x7075 belongs to it, or if the bytes are
  /// valid UTF-8; otherwise the bytes are decoded as code page 437. APPNOTE 4.6.9, appendix D.
  package internal(set) var name: String
  /// The name's bytes if they differ from the UTF-8 of `name`.
  var otherRawName: [UInt8]?
  /// Bytes in the archive, including those of the encryption.
  package internal(set) var compressedSize: Int
  /// Bytes after reading.
  package internal(set) var size: Int
  /// The checksum of the bytes after reading; 0 for AE-2.
  package internal(set) var crc32: UInt32
  /// The compression method: 0 stored, 8 deflated. With AES, that of the decrypted data. APPNOTE 4.4.5.
  package internal(set) var method: UInt16
  /// The general purpose flags of the directory. APPNOTE 4.4.4.
  package let flags: UInt16
  /// How the entry is encrypted.
  package let encryption: Encryption
  /// The offset of the local header in the file.
  package internal(set) var headerOffset: Int
  /// The offset of the data in the file.
  package internal(set) var dataOffset: Int
  /// The modification time, from the extra fields 0x5455 or 0x000A; nil if there is only the
  /// DOS date, which has no time zone.
  package let modified: Timestamp?
  /// DOS time (low half) and date. APPNOTE 4.4.6. The traditional encryption checks passwords with it.
  let dosTime: UInt32
  /// The system that made the entry: 0 DOS, 3 Unix, 19 Darwin. APPNOTE 4.4.2.
  package let madeBy: UInt8
  /// The attributes in the format of that system; for Unix the upper half is the mode.
  package let externalAttributes: UInt32

  /// The CRC-32 of the bytes after reading; nil for AE-2, if its field is zero.
  package var knownCRC32: UInt32? { encryption.known(crc32) }
  /// The bytes of the name in the archive.
  package var rawName: [UInt8] { otherRawName ?? Array(name.utf8) }
  /// True if reading it needs a password.
  package var isEncrypted: Bool { encryption != .none }
  /// True if it is a folder: its name ends in a slash. APPNOTE 4.3.8.
  package var isDirectory: Bool { name.utf8.last == UInt8(ascii: "/") }
  /// True if it is neither compressed nor encrypted: the archive contains its bytes from `dataOffset` on.
  package var isPlain: Bool { method == 0 && encryption == .none }
}

extension Entry {
  /// Makes an entry from the fields of its header.
  ///
  /// - Parameters:
  ///   - fields: with the numbers of the ZIP64 field.
  ///   - encryption: how the data is encrypted, and the compression method of the decrypted data.
  init(
    index: Int = 0, _ fields: HeaderFields, name: String, _ rawName: UnsafeRawBufferPointer,
    _ encryption: (Encryption, UInt16), modified: Timestamp?, headerOffset: Int, dataOffset: Int = 0,
    madeBy: UInt8 = 0, externalAttributes: UInt32 = 0
  ) {
    self.init(
      index: index, name: name, otherRawName: name.hasUTF8(rawName) ? nil : Array(rawName),
      compressedSize: fields.compressedSize, size: fields.size, crc32: fields.crc32, method: encryption.1,
      flags: fields.flags, encryption: encryption.0, headerOffset: headerOffset, dataOffset: dataOffset,
      modified: modified, dosTime: fields.dosTime, madeBy: madeBy, externalAttributes: externalAttributes)
  }
}

extension String {
  fileprivate func hasUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var copy = self
    return copy.withUTF8 { UnsafeRawBufferPointer($0).hasSameBytes(as: bytes) }
  }
}
