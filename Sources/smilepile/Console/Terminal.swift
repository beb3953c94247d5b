import Foundation
import Glibc

/// The properties of the terminal of a descriptor, if any.
struct Terminal: Sendable {
  /// The descriptor of the terminal.
  let descriptor: CInt
  /// True if the program can redraw lines: the descriptor is a terminal, and `TERM` is not `dumb`.
  let canRedraw: Bool
  /// True if the locale's encoding is UTF-8, so that the terminal shows blocks and an ellipsis.
  let isUTF8: Bool
  /// True if colours are allowed: `NO_COLOR` (no-color.org) forbids them.
  let allowsColour: Bool

  init(
    descriptor: CInt = STDERR_FILENO,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.descriptor = descriptor
    canRedraw = isatty(descriptor) == 1 && environment["TERM"] != "dumb"
    allowsColour = canRedraw && (environment["NO_COLOR"] ?? "").isEmpty
    // locale(7): the first variable that is set and not empty counts
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = (locale ?? "").lowercased()
    isUTF8 = name.contains("utf-8") || name.contains("utf8")
  }

  /// The current width, which the user may change at any time. 80 if the kernel does not know the width.
  /// ioctl(2), TIOCGWINSZ.
  var columns: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
