extension Entry.Encryption {
  /// Why the encryption of an entry is not supported.
  enum ParseError: Error {
    /// It is neither WinZip's AES nor the traditional encryption. APPNOTE 7.
    case unsupported
    /// The flags declare a patch to other data. APPNOTE 4.4.4.
    case patch
    /// The extra field of AES is missing or invalid.
    case extraField
  }

  /// Returns the encryption that a header declares, and the compression method of the decrypted data.
  ///
  /// - Parameter aes: the contents of the extra field 0x9901.
  static func of(
    flags: UInt16, method: UInt16, _ aes: UnsafeRawBufferPointer?
  ) throws(ParseError) -> (Entry.Encryption, method: UInt16) {
    guard flags & (Flag.strongEncryption | Flag.maskedHeaders) == 0 else { throw .unsupported }
    guard flags & Flag.patchedData == 0 else { throw .patch }
    let isEncrypted = flags & Flag.encrypted != 0
    guard method == 99 else { return (isEncrypted ? .traditional : .none, method) }
    // version 1 or 2, "AE", strength, method inside
    guard isEncrypted, let aes, aes.count == 7 else { throw .extraField }
    guard let keyBits = [1: 128, 2: 192, 3: 256][aes[4]], aes.u16(2) == 0x4541,
      aes.u16(0) == 1 || aes.u16(0) == 2
    else { throw .unsupported }
    return (.aes(keyBits: keyBits, hasCRC: aes.u16(0) == 1), aes.u16(5))
  }
}
