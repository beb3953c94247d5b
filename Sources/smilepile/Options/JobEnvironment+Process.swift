import Jobs
import Secrets

extension JobEnvironment {
  /// Returns the environment of this process: the state folder of its user, and its passwords.
  static func ofThisProcess(_ reporter: Reporter) -> JobEnvironment {
    var environment = JobEnvironment(
      state: .ofThisUser,
      password: { source in
        // the environment overrides the job file
        try EnvironmentSecrets.value(of: .password) ?? source.read(reporter)
      },
      exitCode: { ExitStatus(for: $0).rawValue })
    environment.message = { CommandMessage.text(of: $0) }
    return environment
  }
}

extension PasswordSource {
  /// Reads the password. Blocks.
  func read(_ reporter: Reporter) throws -> Secret {
    let source: SecretSource =
      switch self {
      case .file(let path): .file(path.string)
      case .command(let command): .command(command)
      }
    return try source.read(.password, question: "Password", warn: reporter.warnOfSecret)
  }
}
