import Glibc

/// The three descriptors that every program expects to be open.
enum StandardStreams {
  /// Gives those of 0, 1 and 2 that the caller closed (`2>&-`) a place in the void. Otherwise the next file that is
  /// opened would get the number, and a message would be written into it: a database, an archive.
  ///
  /// Reading gives the end of the input at once, and messages are lost. Standard output is opened for reading
  /// alone, so that writing a result fails, as it should.
  static func occupy() {
    let modes = [O_RDONLY, O_RDONLY, O_WRONLY]
    for (descriptor, mode) in zip([STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO], modes)
    where fcntl(descriptor, F_GETFD) < 0 {
      // open(2) gives the lowest free number, and those below are taken by now
      _ = open("/dev/null", mode)
    }
  }
}
