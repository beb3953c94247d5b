/// Why a password is not taken to encrypt an archive with.
public enum PasswordError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is nothing in it.
  case empty
  /// It holds a zero byte, at which it would end for the programs that unpack archives.
  case holdsNUL
  /// More bytes than 7-Zip takes for an archive; it could not be unpacked everywhere.
  case tooLong(bytes: Int)
  /// Fewer characters than `minimumLength`.
  case tooShort

  /// The fewest characters. The keys of a ZIP come from 1,000 rounds of PBKDF2-HMAC-SHA1 (WinZip's specification
  /// of AE-2), so few that a graphics card tries millions of passwords a second.
  public static let minimumLength = 12
  /// The most bytes: `kPasswordSizeMax` of 7-Zip.
  public static let maximumBytes = 99

  /// What is wrong with a password, nil if nothing is.
  ///
  /// - Parameter allowsWeak: whether a short one will do.
  public static func find(in password: Secret, allowsWeak: Bool = false) -> PasswordError? {
    password.withBytes { bytes in
      if bytes.isEmpty { return .empty }
      if bytes.contains(0) { return .holdsNUL }
      if bytes.count > maximumBytes { return .tooLong(bytes: bytes.count) }
      // every byte of UTF-8 but those that continue a character
      let characters = bytes.count { $0 & 0xC0 != 0x80 }
      return characters < minimumLength && !allowsWeak ? .tooShort : nil
    }
  }

  /// What a message says of the password; never the password.
  public var description: String {
    switch self {
    case .empty: "the password is empty"
    case .holdsNUL: "the password holds a zero byte"
    case .tooLong(let bytes):
      "the password has \(bytes) bytes; other programs take at most \(Self.maximumBytes)"
    case .tooShort:
      "the password has fewer than \(Self.minimumLength) characters, and a ZIP makes guessing cheap: an attacker "
        + "tries millions a second"
    }
  }
}
