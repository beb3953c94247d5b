import Glibc
import Secrets

/// Runs a shell command for the first line that it prints.
enum ShellOutput {
  /// Why a command gave nothing.
  enum Failure: Error, Equatable {
    case notStarted(errno: CInt)
    /// Its exit status, not 0; 128 and the signal if one killed it.
    case status(Int)
  }

  /// Waits for the command to end. It has our terminal, standard input and standard error; the rest of what it prints
  /// is read and forgotten, so that it does not die of a closed pipe.
  static func firstLine(of command: String) throws(Failure) -> Result<Secret, LineFault> {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .notStarted(errno: errno) }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process: pid_t
    do throws(Failure) {
      process = try start(command, output: ends[1])
    } catch {
      close(ends[1])
      throw error
    }
    close(ends[1])

    let line: Result<Secret, LineFault>
    do throws(LineFault) {
      line = .success(try FirstLine.read(from: ends[0]))
    } catch {
      line = .failure(error)
    }
    drain(ends[0])
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw .notStarted(errno: errno) }
    }
    // wait(2): WTERMSIG and WEXITSTATUS, macros that Swift does not see
    let signal = Int(status & 0x7F)
    let code = signal == 0 ? Int(status >> 8 & 0xFF) : 128 + signal
    guard code == 0 else { throw .status(code) }
    return line
  }

  private static func start(_ command: String, output: CInt) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)

    // the signals that this program ignores, or handles in its own way, are the command's own again
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))

    let words: [String] = ["sh", "-c", command]
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    defer { arguments.forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments + [nil], environ)
    guard code == 0 else { throw .notStarted(errno: code) }
    return process
  }

  private static func drain(_ descriptor: CInt) {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      defer { buffer.wipe() }
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count == 0 || count < 0 && errno != EINTR { return }
      }
    }
  }
}
