import ArgumentParser
import FileSystem
import Foundation
import Jobs
import PhotoLibrary
import SystemPackage

/// The job file.
struct JobFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The job file; default: SMILEPILE_CONFIG, ~/.config/smilepile/config.yaml or /etc/smilepile/config.yaml.",
      valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]), transform: PathArgument.parse)
  var config: String?

  private var named: FilePath? {
    (config ?? environment["SMILEPILE_CONFIG"]).flatMap { $0.isEmpty ? nil : FilePath($0) }
  }

  private var environment: [String: String] { ProcessInfo.processInfo.environment }

  /// Returns the absolute path of the job file, which may be missing.
  ///
  /// - Throws: `JobFile.Missing` if no path is given and there is no job file.
  func path() throws -> FilePath { try JobFile.find(named: named, environment: environment).absolute }

  /// Reads the job file.
  ///
  /// - Throws: `JobFile.Missing`, `InvalidConfiguration`, or `FileError`.
  func read() throws -> JobFile {
    try JobFile(named, environment: environment)
  }

  /// Reads the job file; returns nil if no path is given and there is no job file.
  ///
  /// - Throws: `JobFile.Missing` for a given path, `InvalidConfiguration`, or `FileError`.
  func readIfPresent() throws -> JobFile? {
    do {
      return try read()
    } catch JobFile.Missing.file where named == nil {
      return nil
    }
  }

  /// Returns the jobs that back up a library; none if no path is given and there is no job file.
  func jobs(ofLibrary path: FilePath) throws -> [Job] {
    guard let jobs = try readIfPresent() else { return [] }
    return jobs.jobs(ofLibrary: path, id: try Library(path: path).libraryID(), .ofThisUser)
  }
}
