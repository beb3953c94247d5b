import Crypto

/// Computes the MD5 of a message incrementally.
package struct RunningMD5: Sendable {
  private var hash = Insecure.MD5()

  /// Starts with no bytes.
  package init() {}

  /// Adds the next bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    hash.update(bufferPointer: bytes)
  }

  /// The MD5 of all bytes so far.
  package var digest: MD5Digest {
    var words: (UInt64, UInt64) = (0, 0)
    for byte in hash.finalize() {
      words = (words.0 << 8 | words.1 >> 56, words.1 << 8 | UInt64(byte))
    }
    return MD5Digest(high: words.0, low: words.1)
  }
}

extension MD5Digest {
  /// Computes the MD5 of bytes.
  package init(hashing bytes: [UInt8]) {
    var hash = RunningMD5()
    bytes.withUnsafeBytes { hash.update($0) }
    self = hash.digest
  }
}
