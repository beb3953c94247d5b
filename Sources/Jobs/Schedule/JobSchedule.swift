import FileSystem
import Foundation
import SystemPackage

extension ScheduledJob {
  /// What of a job of a job file matters to whoever runs it by the clock.
  ///
  /// - Parameters:
  ///   - file: the job file's path; the working folder is added where it is relative.
  ///   - library: the library's folder, where the job does not name it.
  ///   - program: `smilepile` itself.
  ///   - environment: that of the user who will run it.
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
  /// The file that holds its password, nil if none does.
  fileprivate var passwordFile: FilePath? {
    if case .file(let path) = password { path } else { nil }
  }

  /// Whether it starts programs of the user's.
  var runsCommands: Bool {
    if case .command = password { return true }
    return [hooks.before, hooks.after, hooks.onFailure, hooks.finally].contains { $0 != nil }
  }
}

/// Where jobs keep their state, said in a way that a service understands as its user's shell does.
package struct ServiceFolders: Sendable, Equatable {
  /// `StateFolder`.
  package var state: FilePath
  /// What a service must be told so that it finds them, and the user's other files.
  package var variables: [String: String]

  /// The folders of the user whose variables these are.
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
      // it would log of each thread that it may not make nicer than 19
      "LIBDISPATCH_LOG": "NO",
    ]
  }

  /// Makes it if it is missing, mode 0700: a service can write in it, and not make it.
  package func make() throws(FileError) {
    try Directory.makeAll(state)
  }
}
