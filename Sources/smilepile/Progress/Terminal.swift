import Foundation
import Glibc

/// What is known of the terminal behind a descriptor, if there is one.
struct Terminal: Sendable {
  /// The descriptor that was asked.
  let descriptor: CInt
  /// Whether lines can be redrawn: it is a terminal, and not one of `TERM=dumb`.
  let canRedraw: Bool
  /// Whether the locale's encoding is UTF-8, so that blocks and an ellipsis can be shown.
  let isUTF8: Bool
  /// Whether colours may be used: `NO_COLOR` (no-color.org) forbids them.
  let allowsColour: Bool

  init(
    descriptor: CInt = STDERR_FILENO,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.descriptor = descriptor
    canRedraw = isatty(descriptor) == 1 && environment["TERM"] != "dumb"
    allowsColour = canRedraw && (environment["NO_COLOR"] ?? "").isEmpty
    // locale(7): the first of the three that is set and not empty counts.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = (locale ?? "").lowercased()
    isUTF8 = name.contains("utf-8") || name.contains("utf8")
  }

  /// The width now; a person may change it at any time. 80 where the kernel does not know it.
  /// ioctl(2), TIOCGWINSZ.
  var columns: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
