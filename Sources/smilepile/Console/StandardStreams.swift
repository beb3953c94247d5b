import Glibc

/// Standard input, output and error.
enum StandardStreams {
  /// Opens `/dev/null` for each stream that the caller closed (`2>&-`). Otherwise the next opened file would
  /// get the number of the stream, and messages would be written into a database or an archive.
  ///
  /// Opens standard output for reading, so that writing a result fails.
  static func reopenIfClosed() {
    let modes = [O_RDONLY, O_RDONLY, O_WRONLY]
    for (descriptor, mode) in zip([STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO], modes)
    where fcntl(descriptor, F_GETFD) < 0 {
      // open(2) returns the lowest free number, and all lower numbers are already used
      _ = open("/dev/null", mode)
    }
  }
}
