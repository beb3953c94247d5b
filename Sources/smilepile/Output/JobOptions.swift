import ArchiveCatalog
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

  private var named: FilePath? {
    (config ?? environment["SMILEPILE_CONFIG"]).flatMap { $0.isEmpty ? nil : FilePath($0) }
  }

  private var environment: [String: String] { ProcessInfo.processInfo.environment }

  /// The job file's absolute path, whether it is there or not.
  ///
  /// - Throws: `JobFile.Missing` if none was named and none is there.
  func path() throws -> FilePath {
    FilePath(FileManager.default.currentDirectoryPath)
      .pushing(try JobFile.find(named: named, environment: environment)).lexicallyNormalized()
  }

  /// The job file.
  ///
  /// - Throws: `JobFile.Missing`, `JobFile.Invalid`, or `FileError`.
  func read() throws -> JobFile {
    try JobFile(named, environment: environment)
  }
}

/// Which jobs of the job file a command works on.
struct JobChoice: ParsableArguments {
  @Argument(help: "The jobs; all if none is named.", completion: .jobs)
  var jobs: [String] = []

  @OptionGroup var file: JobFileOption
  @OptionGroup var library: LibraryOption

  /// The jobs. The library that the command line or the environment names stands for that of the job file; in a hook
  /// the environment tells of the one job that has it, and names none for others.
  ///
  /// - Throws: as `JobFileOption.read`, and `ValidationError` if one library would stand for those of several jobs.
  func read() throws -> [Job] {
    let chosen = try file.read().jobs(named: jobs)
    guard let named = library.ifNamed() else { return chosen }
    let isTold = !library.isGiven && ProcessInfo.processInfo.environment["SMILEPILE_HOOK"] != nil
    if !isTold, chosen.count > 1, chosen.contains(where: { $0.library != nil }) {
      throw ValidationError(
        "\(named) would stand for the libraries of \(chosen.count) jobs; name one job, or unset SMILEPILE_LIBRARY"
      )
    }
    return chosen.map { job in
      if isTold, job.library != nil { return job }
      var job = job
      job.isOtherLibrary = job.library.map { !$0.isSamePlace(as: named) } ?? false
      job.library = FilePath(FileManager.default.currentDirectoryPath).pushing(named).lexicallyNormalized()
      return job
    }
  }
}

extension JobContext {
  /// That of this process: the state folder of its user, and its ways to come by a password.
  static func ofThisProcess(_ reporter: Reporter) -> JobContext {
    JobContext(
      state: .ofThisUser,
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
    return try place.read(.password, question: "Password", warn: reporter.warnOfSecret)
  }
}

extension StateFolder {
  /// The folder of this process's user.
  static let ofThisUser = StateFolder(environment: ProcessInfo.processInfo.environment)
}

extension Ledger {
  /// The ledger of this process's user.
  static var ofThisUser: Ledger { StateFolder.ofThisUser.ledger }

  /// Reports what is wrong with the ledger. What was observed is remembered no longer than this process lives.
  ///
  /// - Throws: `ExitStatus.incomplete` if the ledger was corrupt, or a newer version wrote it.
  func reportProblem(_ reporter: Reporter) throws {
    guard let problem else { return }
    reporter.warn("\(problem)")
    if case .unusable = problem { return }
    throw ExitStatus.incomplete
  }
}
