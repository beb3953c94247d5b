import Glibc
import Synchronization

/// A child process that was started. It must be waited for with `hasEnded`.
struct SpawnedProcess: ~Copyable {
  private let id: pid_t
  private let leadsGroup: Bool
  /// The exit status; nil before the end.
  private(set) var status: Int?

  /// The process groups that are led by processes of this type.
  private static let groups = Mutex<Set<pid_t>>([])

  /// Starts a program. Signals that this process ignores or handles have their default effect in the program.
  /// posix_spawn(3)
  init(_ child: ChildProcess, _ streams: borrowing CapturedStreams) throws(ChildProcess.Failure) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (here, there) in streams.descriptors { posix_spawn_file_actions_adddup2(&actions, here, there) }
    var input: CInt = -1
    defer { if input >= 0 { close(input) } }
    if case .bytes(let bytes) = child.input {
      input = try Self.unnamedFile(bytes)
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    }

    var attributes = SpawnAttributes(leadsGroup: child.leadsGroup)
    let words: [UnsafeMutablePointer<CChar>?] = ([child.program] + child.arguments).map { strdup($0) }
    let added: [UnsafeMutablePointer<CChar>?] = child.environment.map { strdup("\($0.key)=\($0.value)") }
    defer { (words + added).forEach { free($0) } }
    let inherited = Self.environment(without: child.environment)
    var id: pid_t = 0
    let code = posix_spawn(
      &id, child.program, &actions, &attributes.value, words + [nil], inherited + added + [nil])
    guard code == 0 else { throw .notRun(errno: code) }
    (self.id, leadsGroup) = (id, child.leadsGroup)
    if leadsGroup { Self.groups.withLock { _ = $0.insert(id) } }
  }

  deinit { if leadsGroup { Self.groups.withLock { _ = $0.remove(id) } } }

  /// The variables of this process byte for byte, without these.
  private static func environment(without replaced: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var entries: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let entry = next.pointee {
      let name = String(cString: entry).prefix { $0 != "=" }
      if replaced[String(name)] == nil { entries.append(entry) }
      next += 1
    }
    return entries
  }

  /// A file with these bytes, so that neither side waits for the other, and the program may end without reading them.
  /// tmpfile(3)
  private static func unnamedFile(_ bytes: [UInt8]) throws(ChildProcess.Failure) -> CInt {
    let descriptor: CInt
    if bytes.isEmpty {
      descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    } else {
      guard let stream = tmpfile() else { throw .notRun(errno: errno) }
      defer { fclose(stream) }
      guard fwrite(bytes, 1, bytes.count, stream) == bytes.count, fseek(stream, 0, SEEK_SET) == 0 else {
        throw .notRun(errno: errno)
      }
      descriptor = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0)
    }
    guard descriptor >= 0 else { throw .notRun(errno: errno) }
    return descriptor
  }

  /// Returns true if the process has ended. waitpid(2)
  mutating func hasEnded() throws(ChildProcess.Failure) -> Bool {
    var code: CInt = 0
    guard status == nil else { return true }
    let ended = waitpid(id, &code, WNOHANG)
    if ended < 0, errno != EINTR { throw .notRun(errno: errno) }
    guard ended == id else { return false }
    // WTERMSIG and WEXITSTATUS are macros that Swift does not see
    let signal = Int(code & 0x7F)
    status = signal == 0 ? Int(code >> 8 & 0xFF) : 128 + signal
    return true
  }

  /// Returns true if the process, or another of the group that it leads, has not ended.
  mutating func isAlive() throws(ChildProcess.Failure) -> Bool {
    let hasEnded = try hasEnded()
    return leadsGroup ? RunningProcess.hasMember(group: id) : !hasEnded
  }

  /// Sends a signal to the process, or to the group that it leads.
  borrowing func signal(_ number: CInt) {
    if leadsGroup { kill(-id, number) } else if status == nil { kill(id, number) }
  }

  /// Sends SIGTERM to all groups.
  static func terminateGroups() {
    groups.withLock { for group in $0 { kill(-group, SIGTERM) } }
  }
}
