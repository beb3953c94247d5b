import FileSystem

/// Why an archive could not be written. Errors of the file and of the caller's functions are thrown unchanged instead.
package enum ArchiveWriteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// An entry's name is empty, too long, ends in a slash or contains a NUL.
  case name(String)
  /// The archive already has an entry of this name.
  case duplicate(String)
  /// The source of a stored entry provided fewer or more bytes than declared.
  case length(entry: Int, expected: Int, given: Int)
  /// A text has 4 GiB or more.
  case textTooLong(bytes: Int)
  /// The password is empty, or contains a zero byte, at which libzip would truncate it.
  case password
  /// The archive has no entries.
  case empty
  /// There is not enough memory to deflate a text.
  case memory
  /// libzip failed: its error code (`ZIP_ER_…`) and its message.
  case library(code: Int, message: String)

  /// One line for the user.
  package var description: String {
    switch self {
    case .name(let name): "“\(name)” cannot be the name of an entry"
    case .duplicate(let name): "the archive already has an entry “\(name)”"
    case .length(let entry, let expected, let given):
      "entry \(entry) has \(Count(given, "byte")), but \(expected) were expected"
    case .textTooLong(let bytes): "a text entry of \(bytes) bytes is too long"
    case .password: "the password is empty or contains a zero byte"
    case .empty: "an archive without entries cannot be written"
    // libzip reports no reason if it gets no memory
    case .memory, .library(0, _): "cannot write the archive: out of memory; \(MemoryShortage.remedy)"
    case .library(let code, let message): "cannot write the archive: \(message) (libzip \(code))"
    }
  }
}
