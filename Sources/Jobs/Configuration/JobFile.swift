import FileSystem
import Foundation
import Operations
import SystemPackage

/// The job file: every job of a user or a machine, in YAML.
package struct JobFile: Sendable, Equatable {
  /// The path of the job file.
  package var path: FilePath
  /// The jobs, in the file's order.
  package var jobs: [Job]
  /// Possible mistakes, which do not invalidate the job file.
  package var warnings: [ConfigurationFault]

  /// The job file or a job is missing.
  package enum Missing: ExplainedError, Sendable, Equatable, CustomStringConvertible {
    /// None of these files exists.
    case file([FilePath])
    /// The file lacks this job. The list has the names of its jobs.
    case job(String, FilePath, [String])

    package var cause: ErrorCause { .notFound }

    package var remedy: Remedy? { if case .file = self { .nameJobFile } else { nil } }

    /// Describes the error in one line.
    package var description: String {
      switch self {
      case .file(let paths):
        "no job file was found: \(paths.map(\.string).joined(separator: ", "))"
      case .job(let name, let path, let names):
        "\(path) has no job “\(name)”"
          + (Spelling.nearest(to: name, among: names).map { "; did you mean “\($0)”?" }
            ?? "; the jobs are \(names.joined(separator: ", "))")
      }
    }
  }

  /// Returns the paths of job files in search order: `$XDG_CONFIG_HOME/smilepile/config.yaml` (`~/.config` if
  /// the variable is not set), `/etc/smilepile/config.yaml`.
  static func searchPaths(environment: [String: String]) -> [FilePath] {
    let folder = UserAccount.folder("XDG_CONFIG_HOME", default: ".config", environment)
    return [folder.appending("smilepile/config.yaml"), "/etc/smilepile/config.yaml"]
  }

  /// Returns the given path, even if the file is missing; otherwise the first existing file of `searchPaths`.
  ///
  /// - Throws: `Missing.file`.
  package static func find(named path: FilePath?, environment: [String: String]) throws(Missing) -> FilePath {
    if let path { return path }
    let paths = searchPaths(environment: environment)
    guard let found = paths.first(where: { FileManager.default.fileExists(atPath: $0.string) }) else {
      throw .file(paths)
    }
    return found
  }

  /// Reads the job file, and excepts the folders that its jobs trust from the rule of `Ownership`. Blocks.
  ///
  /// - Parameters:
  ///   - path: the path of the job file; nil for the first existing file of `searchPaths`.
  ///   - environment: the variables for `~` and `searchPaths`.
  /// - Throws: `Missing`, `InvalidConfiguration` with every mistake, `OwnershipError` if other users can change the file, or
  ///   `FileError`.
  package init(_ path: FilePath?, environment: [String: String]) throws {
    let found = try Self.find(named: path, environment: environment)
    guard FileManager.default.fileExists(atPath: found.string) else { throw Missing.file([found]) }
    try self.init(
      text: try ConfigurationText.read(found), path: found, home: UserAccount.home(environment),
      state: StateFolder(environment: environment).path)
    Ownership.trust(jobs.flatMap(\.trustedFolders))
  }

  /// Reads the text of a job file.
  ///
  /// - Parameters:
  ///   - home: the folder that replaces `~`.
  ///   - state: the state folder, which accepts no other files; nil if unknown.
  /// - Throws: `InvalidConfiguration`, with every mistake.
  package init(text: String, path: FilePath, home: String?, state: FilePath? = nil)
    throws(InvalidConfiguration)
  {
    // absolute, since units and status files outlive the working folder of this process
    let absolute = path.absolute
    var reader = JobFileReader(folder: absolute.removingLastComponent(), home: home, state: state)
    let jobs = reader.read(text)
    try reader.requireNoFault(in: path)
    self.path = path
    self.jobs = jobs
    warnings = reader.warnings
  }

  /// Returns the jobs with these names, in this order; all jobs if the list is empty.
  ///
  /// - Throws: `Missing.job`.
  package func jobs(named names: [String]) throws(Missing) -> [Job] {
    if names.isEmpty { return jobs }
    var found: [Job] = []
    for name in names {
      guard let job = jobs.first(where: { $0.name == name }) else {
        throw .job(name, path, jobs.map(\.name))
      }
      if !found.contains(job) { found.append(job) }
    }
    return found
  }
}

extension JobFile {
  /// Returns the jobs that back up a library: those whose library is in this folder, and those without a
  /// library that last backed it up. Blocks.
  ///
  /// - Parameter id: the ID of the library; nil if it has none.
  package func jobs(ofLibrary path: FilePath, id: String?, _ state: StateFolder) -> [Job] {
    jobs.filter { job in
      if let library = job.library { return library.isSamePlace(as: path) }
      let status = state.status(of: job.name)
      return status.libraryID != nil && status.isOf(library: path, id: id)
    }
  }
}
