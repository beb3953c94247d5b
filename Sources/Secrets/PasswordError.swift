/// Why a password is refused for the encryption of an archive.
public enum PasswordError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The password is empty.
  case empty
  /// It contains a zero byte, which ends it for the programs that unpack archives.
  case containsNUL
  /// It has more bytes than 7-Zip accepts, which could not unpack the archive.
  case tooLong(bytes: Int)
  /// It has fewer characters than `minimumLength`.
  case tooShort

  /// The fewest characters. ZIP derives keys by 1,000 rounds of PBKDF2-HMAC-SHA1 (WinZip's specification of AE-2), so a
  /// graphics card can try millions of passwords a second.
  public static let minimumLength = 12
  /// The most bytes: `kPasswordSizeMax` of 7-Zip.
  public static let maximumBytes = 99

  /// Returns why a password is refused; nil if it is valid.
  ///
  /// - Parameter allowsWeak: accepts a short password.
  public static func find(in password: Secret, allowsWeak: Bool = false) -> PasswordError? {
    password.withBytes { bytes in
      if bytes.isEmpty { return .empty }
      if bytes.contains(0) { return .containsNUL }
      if bytes.count > maximumBytes { return .tooLong(bytes: bytes.count) }
      // counts the bytes of UTF-8 that begin a character
      let characters = bytes.count { $0 & 0xC0 != 0x80 }
      return characters < minimumLength && !allowsWeak ? .tooShort : nil
    }
  }

  /// The problem, without the password.
  public var description: String {
    switch self {
    case .empty: "the password is empty"
    case .containsNUL: "the password contains a zero byte"
    case .tooLong(let bytes):
      "the password has \(bytes) bytes, and other programs accept at most \(Self.maximumBytes); use a shorter password"
    case .tooShort:
      "the password has fewer than \(Self.minimumLength) characters, and an attacker can try millions of "
        + "passwords per second; use a longer password"
    }
  }
}
