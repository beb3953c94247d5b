import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage

/// One run of a job in a child process that is killed at one of its system calls, as by a power failure.
///
/// ```
/// FaultWalk --night JOBFILE STATEFOLDER SECONDS CALL
/// ```
///
/// SECONDS is the date of the run since 1970. CALL is the number of the writing system call before which it is killed.
enum Night {
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 4, let seconds = Double(arguments[2]), let call = Int(arguments[3]) else {
      throw Invariants.Unfit(reason: "a night of \(arguments)")
    }
    let file = try JobFile(FilePath(arguments[0]), environment: [:])
    var context = JobContext(
      state: StateFolder(path: FilePath(arguments[1])), password: { _ in throw CancellationError() },
      exitCode: { _ in 1 })
    context.now = { Date(timeIntervalSince1970: seconds) }
    let armed = ArmedFault(Fault(.killBefore, at: call, of: .writing))
    for job in file.jobs { _ = try await Work.backup(job, context).summary }
    armed.disarm()
  }
}
