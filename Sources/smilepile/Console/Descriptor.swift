import Glibc
import SystemPackage

/// Reads and writes descriptors that other programs may share, and may have made non-blocking.
enum Descriptor {
  /// Reads a byte; returns nil at the end. Reads single bytes, so that other readers get the bytes after it. Blocks.
  /// read(2).
  ///
  /// - Parameter isCancelled: checked ten times a second, since a signal alone does not end the wait.
  /// - Throws: the error of read(2); `EINTR` if cancelled.
  static func readByte(from descriptor: CInt, isCancelled: () -> Bool = { false }) throws(Errno) -> UInt8? {
    while !isCancelled() {
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, 100) > 0 else { continue }
      var byte: UInt8 = 0
      let count = read(descriptor, &byte, 1)
      if count >= 0 { return count == 0 ? nil : byte }
      if errno != EINTR, errno != EAGAIN { throw Errno(rawValue: errno) }
    }
    throw .interrupted
  }

  /// Writes all bytes. Returns the error that ended the output, or nil. Blocks. write(2).
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Errno? {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wanted, 1, -1)
      } else if errno != EINTR {
        return Errno(rawValue: errno)
      }
    }
    return nil
  }
}
