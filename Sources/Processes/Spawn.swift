import Glibc

/// Starts programs. Signals that this process ignores or handles have their default effect in a program. posix_spawn(3)
enum Spawn {
  /// Starts a program.
  ///
  /// - Parameters:
  ///   - inherited: variables of the program that exist already, as `NAME=VALUE`.
  ///   - variables: the other variables of the program, as `NAME=VALUE`.
  ///   - leadsGroup: true to make the program the leader of a new process group.
  ///   - connect: adds the descriptors that the program gets.
  /// - Returns: the ID of the process, and the error number of a failure; 0 for success.
  static func start(
    _ program: String, _ arguments: [String] = [], inheriting inherited: [UnsafeMutablePointer<CChar>?] = [],
    variables: [String], leadsGroup: Bool, _ connect: (inout posix_spawn_file_actions_t) -> Void
  ) -> (id: pid_t, errno: CInt) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    connect(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (all, none) = (sigset_t(), sigset_t())
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))
    let words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    let added: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) }
    defer { (words + added).forEach { free($0) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, program, &actions, &attributes, words + [nil], inherited + added + [nil])
    return (id, code)
  }
}

extension HelperProcess.Ending {
  /// Decodes the status of waitpid(2). `WTERMSIG` and `WEXITSTATUS` are macros that Swift does not see.
  init(_ code: CInt) {
    let signal = code & 0x7F
    self = signal == 0 ? .status(Int(code >> 8 & 0xFF)) : .signal(signal)
  }

  /// The exit status, as in a shell: 128 and the number of the signal if a signal ended the process.
  var shellStatus: Int {
    switch self {
    case .status(let status): status
    case .signal(let signal): 128 + Int(signal)
    }
  }
}
