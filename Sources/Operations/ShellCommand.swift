import Glibc

/// A command that the shell runs, in a process of its own.
package struct ShellCommand {
  /// What `sh -c` gets.
  package var command: String
  /// Descriptors of this process that the command has as its own, by their numbers there; it shares the others of the
  /// standard streams with this process.
  package var streams: [CInt: CInt] = [:]
  /// It reads nothing, instead of what this process reads.
  package var readsNothing = false
  /// It leads a process group, so that a signal reaches all that it starts.
  package var leadsGroup = false
  /// Variables that it has beside those of this process.
  package var environment: [String: String] = [:]

  /// A command in the surroundings of this process.
  package init(_ command: String) { self.command = command }

  /// It could not be started.
  package struct NotStarted: Error, Equatable {
    /// What posix_spawn(3) returned.
    package var errno: CInt
  }

  /// Starts it. The signals that this program ignores, or handles in its own way, are the command's own again.
  ///
  /// - Returns: the process, which has to be waited for.
  package func start() throws(NotStarted) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if readsNothing { posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) }
    for (number, descriptor) in streams { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK)
        | (leadsGroup ? Int16(POSIX_SPAWN_SETPGROUP) : 0))

    let texts: [String] = ["sh", "-c", command]
    let words: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    let added: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") }
    defer { (words + added).forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(
      &process, "/bin/sh", &actions, &attributes, words + [nil], inherited + added + [nil])
    guard code == 0 else { throw NotStarted(errno: code) }
    return process
  }

  /// This process's variables, byte for byte, but for those that the command has otherwise.
  private var inherited: [UnsafeMutablePointer<CChar>?] {
    var entries: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let entry = next.pointee {
      let name = String(cString: entry).prefix { $0 != "=" }
      if environment[String(name)] == nil { entries.append(entry) }
      next += 1
    }
    return entries
  }

  /// The exit status out of what waitpid(2) gives; 128 and the signal if one ended the process.
  package static func exitStatus(_ status: CInt) -> Int {
    // WTERMSIG and WEXITSTATUS are macros that Swift does not see
    let signal = Int(status & 0x7F)
    return signal == 0 ? Int(status >> 8 & 0xFF) : 128 + signal
  }
}
