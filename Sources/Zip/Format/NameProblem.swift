/// Why the name of an entry is refused. The raw value completes a sentence that begins with “it”.
public enum NameProblem: String, Sendable, CaseIterable {
  /// The name has no bytes.
  case empty = "is empty"
  /// The flag declares UTF-8, and the bytes are not.
  case invalidUTF8 = "is not valid UTF-8"
  /// A NUL, which ends the name for C programs.
  case nul = "contains a zero byte"
  /// U+0001 to U+001F, U+007F to U+009F.
  case controlCharacter = "contains a control character"
  /// A separator for Windows programs. Both apps refuse it.
  case backslash = "contains a backslash"
  /// A leading slash.
  case absolute = "is an absolute path"
  /// `C:` and similar.
  case driveLetter = "begins with a drive letter"
  /// A component `..`.
  case parentComponent = "contains “..”"
  /// A component `.`, which gives a file two names. `tar .` writes it as the first component, where it is allowed.
  case dotComponent = "contains a component “.”"
  /// Two slashes in a row.
  case emptyComponent = "contains an empty component"
  /// More than 255 bytes between two slashes, which no Linux file system allows.
  case longComponent = "has a component of more than 255 bytes"
}
