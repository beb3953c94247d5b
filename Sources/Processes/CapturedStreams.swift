import Glibc

/// The pipes through which a program's output arrives. Closes them when the value goes.
struct CapturedStreams: ~Copyable {
  private struct Pipe {
    let stream: ChildProcess.Stream
    /// -1 after the end.
    var reading: CInt
    /// -1 when it is closed here.
    var writing: CInt
    /// The numbers that the writing end has in the program.
    let targets: [CInt]
  }

  private var pipes: [Pipe] = []
  /// The most bytes that are read from a pipe at a time, which is what a pipe holds: a program that prints without end
  /// must not keep its caller from looking at the clock. pipe(7)
  private static let mostBytes = 64 << 10

  init(_ capture: ChildProcess.Capture) throws(ChildProcess.Failure) {
    switch capture {
    case .output: try add(.output, [STDOUT_FILENO])
    case .merged: try add(.output, [STDOUT_FILENO, STDERR_FILENO])
    case .separate:
      try add(.output, [STDOUT_FILENO])
      try add(.errors, [STDERR_FILENO])
    }
  }

  deinit {
    for pipe in pipes {
      for end in [pipe.reading, pipe.writing] where end >= 0 { close(end) }
    }
  }

  private mutating func add(
    _ stream: ChildProcess.Stream, _ targets: [CInt]
  ) throws(ChildProcess.Failure) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .notRun(errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    pipes.append(Pipe(stream: stream, reading: ends[0], writing: ends[1], targets: targets))
  }

  /// The descriptors that the program gets, and their numbers in it.
  var descriptors: [(here: CInt, there: CInt)] {
    pipes.flatMap { pipe in pipe.targets.map { (pipe.writing, $0) } }
  }

  /// Closes the ends that the program has now.
  mutating func closeWritingEnds() {
    for index in pipes.indices {
      close(pipes[index].writing)
      pipes[index].writing = -1
    }
  }

  /// Reads what is in the pipes, but no more than what pipes hold.
  ///
  /// - Parameter waiting: waits up to 100 ms for the first byte. After the end of all output it waits 1 ms: the
  ///   program's end is likely to follow.
  mutating func read(
    waiting: Bool, _ receive: (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void
  ) {
    guard pipes.contains(where: { $0.reading >= 0 }) else {
      if waiting { usleep(1_000) }
      return
    }
    // poll(2) passes over -1
    var wanted = pipes.map { pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0) }
    guard poll(&wanted, nfds_t(wanted.count), waiting ? 100 : 0) > 0 else { return }
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      defer { if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) } }
      for index in pipes.indices where wanted[index].revents != 0 { read(index, buffer, receive) }
    }
  }

  private mutating func read(
    _ index: Int, _ buffer: UnsafeMutableRawBufferPointer,
    _ receive: (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void
  ) {
    var taken = 0
    var wanted = pollfd(fd: pipes[index].reading, events: Int16(POLLIN), revents: 0)
    while taken < Self.mostBytes, poll(&wanted, 1, 0) > 0 {
      let count = Glibc.read(pipes[index].reading, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else {
        close(pipes[index].reading)
        pipes[index].reading = -1
        return
      }
      taken += count
      receive(pipes[index].stream, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
