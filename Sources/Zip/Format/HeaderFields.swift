/// The fields that a local header and a directory record share, as they are in the file. APPNOTE 4.3.7, 4.3.12, 4.4.
struct HeaderFields {
  /// The version of the specification that a reader needs, in the lower half.
  let version: UInt16
  let flags: UInt16
  /// The compression method: 99 for AES.
  let method: UInt16
  /// DOS time (low half) and date.
  let dosTime: UInt32
  let crc32: UInt32
  var compressedSize: Int
  var size: Int
  let nameLength: Int
  let extraLength: Int

  /// Reads the fields of a local header.
  init(localHeader bytes: UnsafeRawBufferPointer) { self.init(bytes, at: 4) }

  /// - Parameter start: the offset of the first field.
  init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
    version = bytes.u16(start)
    flags = bytes.u16(start + 2)
    method = bytes.u16(start + 4)
    dosTime = bytes.u32(start + 6)
    crc32 = bytes.u32(start + 10)
    compressedSize = Int(bytes.u32(start + 14))
    size = Int(bytes.u32(start + 18))
    nameLength = Int(bytes.u16(start + 22))
    extraLength = Int(bytes.u16(start + 24))
  }

  /// The bytes of the name and the extra fields, which follow the record.
  var variableLength: Int { nameLength + extraLength }

  /// Returns the name of an entry, given its bytes; nil if the flags declare UTF-8 and the bytes are not.
  func name(_ raw: UnsafeRawBufferPointer, _ extra: ExtraFields) -> String? {
    NameDecoding.name(raw, isUTF8: flags & Flag.utf8 != 0, unicodePath: extra.unicodePath)
  }

  /// Returns the encryption, and the compression method of the decrypted data.
  func encryption(_ extra: ExtraFields) throws(Entry.Encryption.ParseError) -> (Entry.Encryption, UInt16) {
    try Entry.Encryption.of(flags: flags, method: method, extra.aes)
  }
}
