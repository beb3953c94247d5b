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
    let owner = Self.otherOwner(of: library)
    let folders = ServiceFolders(owner.map { ["HOME": $0.home] } ?? environment)
    let files = [job.statusFile, job.reportFile, job.prometheusFile].compactMap {
      $0?.removingLastComponent()
    }
    try self.init(
      name: job.name, configuration: Self.absolute(file), program: program,
      writable: ([library] + job.destinations.map(\.path) + job.inboxes.map(\.path) + [folders.state] + files)
        .map(Self.absolute),
      readable: job.passwordFile.map { [Self.absolute($0)] } ?? [], runsCommands: job.runsCommands,
      environment: folders.variables, schedule: job.schedule, drill: job.drill)
    if case .command = job.password { runsPasswordCommand = true }
    inboxes = job.inboxes.map { Self.absolute($0.path) }
    pollsInboxes = inboxes.contains { folder in
      (try? Directory.open(folder).fileSystem().reportsEveryChange) == false
    }
    let last = [job.hooks.onFailure, job.hooks.finally].count { $0 != nil }
    stopSeconds += last * Int(min(job.hooks.timeLimit, 86400).rounded(.up))
    user = owner
    if job.library == nil { self.environment["SMILEPILE_LIBRARY"] = Self.absolute(library).string }
  }

  /// Returns the owner of a folder if this process is root and the owner is another user with an account; nil also if
  /// there is no such folder.
  private static func otherOwner(of folder: FilePath) -> UserAccount? {
    guard geteuid() == 0, let owner = try? Directory.open(folder).status().owner, owner != 0 else {
      return nil
    }
    return UserAccount(id: owner)
  }

  private static func absolute(_ path: FilePath) -> FilePath {
    let folder = FilePath(FileManager.default.currentDirectoryPath)
    return folder.pushing(path).lexicallyNormalized()
  }
}

extension Job {
  /// When the backups of an inbox are imported, for the user.
  package static let timingOfInbox = "when files arrive"

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
