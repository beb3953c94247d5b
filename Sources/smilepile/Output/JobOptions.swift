import ArgumentParser
import Backup
import FileSystem
import Foundation
import Jobs
import PhotoLibrary
import Secrets
import SystemPackage

/// The job file, for commands that work by it.
struct JobFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The job file; SMILEPILE_CONFIG, or the first of ~/.config/smilepile/config.yaml and "
        + "/etc/smilepile/config.yaml if not given.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]), transform: PathArgument.parse)
  var config: String?

  /// The job file.
  ///
  /// - Throws: `JobFile.Missing`, `JobFile.Invalid`, or `FileError`.
  func read() throws -> JobFile {
    let environment = ProcessInfo.processInfo.environment
    let named = config ?? environment["SMILEPILE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    return try JobFile(named.map { FilePath($0) }, environment: environment)
  }
}

extension JobContext {
  /// That of this process: the state and cache folders of its user, and its ways to come by a password.
  static func ofThisProcess(_ reporter: Reporter) throws -> JobContext {
    JobContext(
      state: try StateFolder(environment: ProcessInfo.processInfo.environment),
      cache: CatalogCache.ofThisUser(),
      password: { source in
        // the environment wins over the job file
        try EnvironmentSecrets.value(of: .password) ?? source.read(reporter)
      },
      exitCode: { ExitStatus(for: $0).rawValue })
  }
}

extension PasswordSource {
  /// Reads the password. Blocks.
  func read(_ reporter: Reporter) throws -> Secret {
    let place: SecretSource =
      switch self {
      case .file(let path): .file(path.string)
      case .command(let command): .command(command)
      }
    return try place.read(.password, question: "Password", warn: reporter.warn)
  }
}

extension CatalogCache {
  /// That of this process's user.
  static func ofThisUser() -> CatalogCache {
    CatalogCache(folder: ServiceFolders(ProcessInfo.processInfo.environment).cache)
  }
}
