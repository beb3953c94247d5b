import ArchiveCatalog
import Foundation
import Operations
import Secrets

/// Everything besides the job that a run needs.
package struct JobEnvironment: Sendable {
  /// The folder of locks and status files.
  package var state: StateFolder
  /// Reads the password of a job. Blocks.
  package var password: @Sendable (PasswordSource) throws -> Secret
  /// Returns the exit code for an error.
  package var exitCode: @Sendable (any Error) -> Int32
  /// Returns the text of a finding with its remedy, for people who read the status page.
  package var message: @Sendable (Finding) -> String = { $0.message }
  /// True to write an archive even if nothing has changed.
  package var isForced = false
  /// The observations of this machine.
  package var ledger: Ledger { state.ledger }
  /// Returns the current time.
  package var now: @Sendable () -> Date = { Date() }

  /// Makes an environment from its parts.
  package init(
    state: StateFolder,
    password: @escaping @Sendable (PasswordSource) throws -> Secret,
    exitCode: @escaping @Sendable (any Error) -> Int32
  ) {
    self.state = state
    self.password = password
    self.exitCode = exitCode
  }
}
