extension Entry.Encryption {
  /// Why an encryption is none that can be read here.
  enum Fault: Error {
    /// It is another one than WinZip's and the traditional one. APPNOTE 7.
    case unsupported
    /// The flags say that the data is a patch to other data. APPNOTE 4.4.4.
    case patch
    /// The extra field that has to describe it does not.
    case extraField
  }

  /// The encryption that a header states, and the compression method inside.
  ///
  /// - Parameter aes: what is in the extra field 0x9901.
  static func of(
    flags: UInt16, method: UInt16, _ aes: UnsafeRawBufferPointer?
  ) throws(Fault) -> (Entry.Encryption, method: UInt16) {
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
