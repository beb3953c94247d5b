import Glibc
import Synchronization

/// The echo of a terminal, which is off while the user types a secret.
enum TerminalEcho {
  /// The terminal whose echo is off, and its previous settings.
  private static let hidden = Mutex<(descriptor: CInt, before: termios)?>(nil)

  /// Turns the echo off. Discards earlier input, which was not an answer to this question. Disables Control-Z and
  /// Control-\, since they would leave the terminal without echo. termios(3).
  ///
  /// - Returns: false if the descriptor is no terminal, or if the terminal fails.
  static func turnOff(at descriptor: CInt) -> Bool {
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { return false }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    silent.c_lflag |= tcflag_t(ICANON | ISIG)
    // 0 is _POSIX_VDISABLE, a macro that Swift does not import
    withUnsafeMutableBytes(of: &silent.c_cc) { characters in
      characters[Int(VSUSP)] = 0
      characters[Int(VQUIT)] = 0
    }
    return hidden.withLock { state in
      state = (descriptor, before)
      guard tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else {
        state = nil
        return false
      }
      return true
    }
  }

  /// Turns the echo on again. Called before every end of the program, including signals.
  static func restore() {
    hidden.withLock { state in
      guard let (descriptor, before) = state else { return }
      withUnsafePointer(to: before) { _ = tcsetattr(descriptor, TCSAFLUSH, $0) }
      state = nil
    }
  }
}
