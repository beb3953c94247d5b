import FileSystem

/// Why an archive could not be written, where the reason is neither a file's nor the caller's own: those
/// come through as they were thrown.
package enum ArchiveWriteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// An entry's name is empty, too long, ends in a slash or holds a NUL.
  case name(String)
  /// The archive already has an entry of this name.
  case duplicate(String)
  /// The source of a placed entry gave fewer or more bytes than were announced for it.
  case length(entry: Int, expected: Int, given: Int)
  /// A text must stay below 4 GiB.
  case textTooLong(bytes: Int)
  /// The password is empty, or holds a zero byte, at which libzip would cut it short.
  case password
  /// An archive needs an entry.
  case empty
  /// There is no memory to deflate a text.
  case memory
  /// libzip refused, with its own code (`ZIP_ER_…`) and message.
  case library(code: Int, message: String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .name(let name): "\"\(name)\" cannot be the name of an entry"
    case .duplicate(let name): "the archive already has an entry \"\(name)\""
    case .length(let entry, let expected, let given):
      "entry \(entry) has \(Count(given, "byte")) and not the \(expected) announced"
    case .textTooLong(let bytes): "a text entry of \(bytes) bytes is too long"
    case .password: "the password is empty or holds a zero byte"
    case .empty: "an archive without entries cannot be written"
    // libzip gives up without a reason where it gets no memory
    case .memory, .library(0, _): "cannot write the archive: out of memory; \(MemoryShortage.remedy)"
    case .library(let code, let message): "cannot write the archive: \(message) (libzip \(code))"
    }
  }
}
