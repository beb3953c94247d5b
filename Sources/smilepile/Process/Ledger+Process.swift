import ArchiveCatalog
import Foundation
import Jobs

extension StateFolder {
  /// The folder of this process's user.
  static let ofThisUser = StateFolder(environment: ProcessInfo.processInfo.environment)
}

extension Ledger {
  /// The ledger of this process's user.
  static var ofThisUser: Ledger { StateFolder.ofThisUser.ledger }

  /// Prints a warning if this process has moved the database of an older version.
  func reportOlderDatabase(isQuiet: Bool) {
    guard let olderDatabase, !isQuiet else { return }
    Console.standard.print("warning: \(olderDatabase)", to: .error, .warning)
  }

  /// Prints a warning if this process has found a problem of the ledger, even with `--json`, since no summary contains
  /// it.
  ///
  /// - Returns: `.incomplete` if the ledger was corrupt, or a newer version wrote it.
  func reportKnownProblem(isQuiet: Bool) -> ExitStatus {
    guard let knownProblem else { return .done }
    if !isQuiet { Console.standard.print("warning: \(knownProblem)", to: .error, .warning) }
    if case .unusable = knownProblem { return .done }
    return .incomplete
  }
}
