import FileSystem
import Foundation
import SystemPackage

extension ScheduledJob {
  /// Collects from a job of a job file all facts that a scheduled run needs.
  ///
  /// - Parameters:
  ///   - file: the path of the job file; a relative path starts at the working folder.
  ///   - library: the library's folder, used if the job has none.
  ///   - program: the path of `smilepile`.
  ///   - environment: the environment of the user who will run the job.
  package init(
    _ job: Job, in file: FilePath, library: FilePath?, program: FilePath, environment: [String: String]
  ) throws(ScheduledJobError) {
    guard let library = job.library ?? library else { throw .noLibrary(job: job.name) }
    let folders = ServiceFolders(environment)
    let files = [job.statusFile, job.prometheusFile].compactMap { $0?.removingLastComponent() }
    try self.init(
      name: job.name, configuration: Self.absolute(file), program: program,
      writable: ([library] + job.destinations.map(\.path) + [folders.state] + files)
        .map(Self.absolute),
      readable: job.passwordFile.map { [Self.absolute($0)] } ?? [], runsCommands: job.runsCommands,
      environment: folders.variables, schedule: job.schedule, drill: job.drill)
    let last = [job.hooks.onFailure, job.hooks.finally].count { $0 != nil }
    stopSeconds += last * Int(min(job.hooks.timeLimit, 86400).rounded(.up))
    if job.library == nil { self.environment["SMILEPILE_LIBRARY"] = Self.absolute(library).string }
  }

  private static func absolute(_ path: FilePath) -> FilePath {
    let folder = FilePath(FileManager.default.currentDirectoryPath)
    return folder.pushing(path).lexicallyNormalized()
  }
}

extension Job {
  /// The password file of the job; nil if the job has none.
  fileprivate var passwordFile: FilePath? {
    if case .file(let path) = password { path } else { nil }
  }

  /// True if the job starts commands of the user.
  var runsCommands: Bool {
    if case .command = password { return true }
    return [hooks.before, hooks.after, hooks.onFailure, hooks.finally].contains { $0 != nil }
  }
}

/// The folder of the jobs' state, and the variables with which a service finds the same folders as the user's shell.
package struct ServiceFolders: Sendable, Equatable {
  /// The folder of `StateFolder`.
  package var state: FilePath
  /// The variables with which a service finds the state folder and the user's other files.
  package var variables: [String: String]

  /// Finds the folders of the user who has these variables.
  /// systemd.exec(5), https://specifications.freedesktop.org/basedir-spec/latest/
  package init(_ environment: [String: String]) {
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "/root"
    state =
      if let path = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
        FilePath(String(path))
      } else if let path = environment["XDG_STATE_HOME"], path.hasPrefix("/") {
        FilePath(path).appending("smilepile")
      } else {
        FilePath(home).appending(".local/state/smilepile")
      }
    variables = [
      "HOME": home, "STATE_DIRECTORY": state.string,
      // libdispatch would log for each thread that its niceness cannot exceed 19
      "LIBDISPATCH_LOG": "NO",
    ]
  }

  /// Creates the state folder with mode 0700 if it is missing. A service can write in the folder but cannot create it.
  package func make() throws(FileError) {
    try Directory.makeAll(state)
  }
}
