import Checksums

/// Decodes the names of entries.
enum NameDecoding {
  /// Decodes a name as unzip does. Returns nil if flag bit 11 declares UTF-8 and the bytes are not.
  static func name(
    _ raw: UnsafeRawBufferPointer, isUTF8: Bool, unicodePath: UnsafeRawBufferPointer?
  ) -> String? {
    let utf8 = String(validating: raw.bindMemory(to: UInt8.self), as: UTF8.self)
    if isUTF8 { return utf8 }
    if let unicodePath, let name = name(raw, unicodePath) { return name }
    return utf8 ?? codePage437(raw)
  }

  /// Decodes the Unicode path field: version 1, the CRC of the name that it belongs to, the name in UTF-8. Returns nil
  /// if the CRC differs: then a program has renamed the entry and not updated the field. APPNOTE 4.6.9.
  private static func name(
    _ raw: UnsafeRawBufferPointer, _ field: UnsafeRawBufferPointer
  ) -> String? {
    guard field.count >= 5, field[0] == 1, field.u32(1) == CRC32.of(raw) else { return nil }
    return String(
      validating: field.slice(5, field.count - 5).bindMemory(to: UInt8.self), as: UTF8.self)
  }

  private static func codePage437(_ raw: UnsafeRawBufferPointer) -> String {
    var text = String.UnicodeScalarView()
    for byte in raw {
      text.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80])
    }
    return String(text)
  }

  /// 0x80 to 0xFF of code page 437.
  static let upperHalf = Array(
    """
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}
    """.unicodeScalars)
}
