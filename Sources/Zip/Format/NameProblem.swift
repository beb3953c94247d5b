/// What is wrong with the name of an entry; the raw value completes "it …".
package enum NameProblem: String, Sendable, CaseIterable {
  /// No name at all.
  case empty = "is empty"
  /// Bytes that are not UTF-8 under the flag that says so.
  case invalidUTF8 = "is not valid UTF-8"
  /// A NUL, at which C programs stop reading.
  case nul = "contains a NUL"
  /// U+0001 to U+001F, U+007F to U+009F.
  case controlCharacter = "contains a control character"
  /// A separator to Windows programs, refused by both apps.
  case backslash = "contains a backslash"
  /// A leading slash.
  case absolute = "is an absolute path"
  /// `C:` and its like.
  case driveLetter = "begins with a drive letter"
  /// A component `..`.
  case parentComponent = "contains “..”"
  /// A component `.`, which gives one file two names. In front of others it is what `tar .` writes.
  case dotComponent = "contains a component “.”"
  /// Two slashes in a row.
  case emptyComponent = "contains an empty component"
  /// More than 255 bytes between two slashes, which no Linux file system can name.
  case longComponent = "has a component of more than 255 bytes"
}
