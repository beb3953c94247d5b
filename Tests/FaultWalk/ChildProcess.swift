import Glibc

/// A child process that has ended.
struct ChildProcess {
  enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
  }

  let ending: Ending

  struct NotStarted: Error {
    var program: String
    var errno: Int32
  }

  /// Starts a program by its path, or by its name in PATH, and waits for its end. posix_spawn(3).
  ///
  /// - Parameter output: a file for standard output and standard error; nil for those of this process.
  init(_ program: String, _ arguments: [String], output: String? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
    let strings: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for string in strings { free(string) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, program, &actions, nil, strings, environ)
    guard code == 0 else { throw NotStarted(program: program, errno: code) }
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1 && errno == EINTR {}
    // wait(2): the low seven bits are the signal, the next byte the code
    ending = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
  }
}
