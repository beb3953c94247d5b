import FileSystem
import SystemPackage

extension Ledger {
  /// Why the database was replaced, or is not used.
  public enum Problem: Error, Sendable, Equatable {
    /// The database was corrupt. It was renamed to this path, and an empty database replaced it.
    case movedAside(to: FilePath)
    /// A newer version of this program wrote the database. The database is not changed; this process keeps its
    /// observations in memory only.
    case newerVersion(FilePath)
    /// The database cannot be opened or written. This process keeps its observations in memory only.
    case unusable(FilePath, reason: String)
  }

  /// A database that a development version of this program wrote before the first release. It was renamed, and an empty
  /// database replaced it.
  public struct OlderDatabase: Sendable, Equatable {
    /// The path that the database has now.
    public let path: FilePath
  }
}

extension Ledger.Problem: CustomStringConvertible {
  /// Describes the problem in one line, with a remedy if one exists.
  public var description: String {
    let text =
      switch self {
      case .movedAside(let path):
        "the ledger of this user was corrupt, and was moved to \(path); its records of archives and runs are lost"
      case .newerVersion(let path):
        "\(path) was written by a newer version of smilepile; update smilepile"
      case .unusable(let path, let reason):
        "cannot use the ledger \(path): \(reason); earlier results are unknown, and new results are not recorded"
      }
    return text.escaped
  }
}

extension Ledger.OlderDatabase: CustomStringConvertible {
  /// One line for the user: what is forgotten.
  public var description: String {
    ("an older development version made the ledger, which is now \(path); the new ledger does not know the history, the "
      + "results of verifications and restore tests, the copies of jobs, the imported backups of inboxes, and the "
      + "contents of encrypted archives").escaped
  }
}
