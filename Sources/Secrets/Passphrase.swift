/// Generates passphrases that are hard to guess and easy to type.
public enum Passphrase {
  /// 29 letters and digits that differ in every font (no i, l, o, 0, 1) and have the same key on English, German and
  /// Swiss keyboards (no y, z).
  static let alphabet = Array("23456789abcdefghjkmnpqrstuvwx".utf8)
  private static let groups = 4
  private static let groupLength = 5

  /// Generates a passphrase with the system's random generator, such as `k7m2x-9qwhd-4trna-p3vc8`: 20 characters of 29,
  /// or 97 bits.
  public static func make() -> Secret {
    var generator = SystemRandomNumberGenerator()
    return make(using: &generator)
  }

  static func make(using generator: inout some RandomNumberGenerator) -> Secret {
    let count = groups * (groupLength + 1) - 1
    let memory = LockedMemory(byteCount: count)
    for index in memory.bytes.indices {
      memory.bytes[index] =
        index % (groupLength + 1) == groupLength
        ? UInt8(ascii: "-") : alphabet[Int.random(in: alphabet.indices, using: &generator)]
    }
    return withExtendedLifetime(memory) { Secret(UnsafeRawBufferPointer(memory.bytes)) }
  }
}
