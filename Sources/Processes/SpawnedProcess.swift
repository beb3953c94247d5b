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

  /// Starts a program.
  init(_ child: ChildProcess, _ streams: borrowing CapturedStreams) throws(ChildProcess.Failure) {
    var descriptors = streams.descriptors
    var input: CInt = -1
    defer { if input >= 0 { close(input) } }
    if case .bytes(let bytes) = child.input {
      input = try Self.unnamedFile(bytes)
      descriptors.append((input, STDIN_FILENO))
    }
    let (id, code) = Spawn.start(
      child.program, child.arguments, inheriting: Self.environment(without: child.environment),
      variables: child.environment.map { "\($0.key)=\($0.value)" }, leadsGroup: child.leadsGroup
    ) { actions in
      for (here, there) in descriptors { posix_spawn_file_actions_adddup2(&actions, here, there) }
    }
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
    status = HelperProcess.Ending(code).shellStatus
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
