import Glibc
import Operations
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
    let code = ShellCommand.exitStatus(status)
    guard code == 0 else { throw .status(code) }
    return line
  }

  private static func start(_ command: String, output: CInt) throws(Failure) -> pid_t {
    var shell = ShellCommand(command)
    shell.streams = [STDOUT_FILENO: output]
    do throws(ShellCommand.NotStarted) {
      return try shell.start()
    } catch {
      throw .notStarted(errno: error.errno)
    }
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
