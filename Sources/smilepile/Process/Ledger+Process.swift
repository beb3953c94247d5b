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

  /// Reports a problem of the ledger. With a problem, observations last only as long as this process.
  ///
  /// - Throws: `ExitStatus.incomplete` if the ledger was corrupt, or a newer version wrote it.
  func reportProblem(_ reporter: Reporter) throws {
    guard let problem else { return }
    reporter.warn("\(problem)")
    if case .unusable = problem { return }
    throw ExitStatus.incomplete
  }
}
