import FileSystem

/// An incremental backup whose base is missing.
package struct BrokenChain: Error, Sendable, Equatable, CustomStringConvertible {
  /// Why the base is missing.
  package enum Cause: Sendable, Equatable {
    /// No archive has the ID of the base.
    case missing
    /// An archive with the ID of the base has other content.
    case otherArchive
    /// The archive at this path is a partial recovery of the base.
    case partiallyRecovered(String)
    /// The only archive with the content of the base, at this path, belongs to another user of this machine.
    case otherOwner(String)
  }

  /// The path of the incremental backup.
  package var archive: String
  /// The ID of the base.
  package var base: String
  /// Why the base is missing.
  package var cause: Cause
  /// The path of an unreadable file that may be the base.
  package var unreadable: String?

  /// Describes the error and its remedy in one line.
  package var description: String {
    let text =
      switch cause {
      case .missing:
        "\(archive) depends on archive \(base), which is missing from its folder"
          + (unreadable.map { " (perhaps it is \($0), which cannot be read)" } ?? "")
          + "; copy that archive into the folder"
      case .otherArchive:
        "\(archive) depends on archive \(base), and the archive with that ID has other content; "
          + "copy the original archive into the folder"
      case .partiallyRecovered(let path):
        "\(archive) depends on archive \(base), and \(path) is only partially recovered from it; copy the "
          + "complete archive into the folder"
      case .otherOwner(let path):
        "\(archive) depends on \(path), which belongs to another user; replace it by a copy of your own"
      }
    return text.escaped
  }
}

/// A split archive with missing parts.
package struct IncompleteSet: Error, Sendable, Equatable, CustomStringConvertible {
  /// The path of an existing part.
  package var archive: String
  /// The numbers of the missing parts, from 1.
  package var missing: [Int]
  /// The number of parts of the complete set.
  package var count: Int

  /// Describes the error and its remedy in one line.
  package var description: String {
    let numbers = missing.map(String.init).joined(separator: ", ")
    let (parts, them) = missing.count == 1 ? ("part \(numbers) is", "it") : ("parts \(numbers) are", "them")
    return
      "\(archive) is one of \(count) parts, and \(parts) missing from its folder; copy \(them) into the folder"
      .escaped
  }
}
