import Glibc
import Secrets

/// Why a descriptor did not give a line.
enum LineFault: Error, Equatable {
  /// The first line, or the input, is empty.
  case empty
  /// The line has more than `FirstLine.limit` bytes, or a zero byte.
  case notALine
  /// read(2) failed.
  case errno(CInt)
}

/// Reads the first line of a descriptor into memory that is wiped. Reads single bytes, so that other readers
/// of the descriptor get the bytes after the line.
enum FirstLine {
  /// The maximum length of a line in bytes.
  static let limit = 4096

  /// Returns the line without its line end, LF or CR LF. Blocks.
  static func read(from descriptor: CInt) throws(LineFault) -> Secret {
    try read { () throws(LineFault) in
      var byte: UInt8 = 0
      while true {
        let count = Glibc.read(descriptor, &byte, 1)
        if count == 1 { return byte }
        if count == 0 { return nil }
        if errno == EAGAIN {
          var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          poll(&wanted, 1, -1)
        } else if errno != EINTR {
          throw .errno(errno)
        }
      }
    }
  }

  /// Returns the line from the bytes of `next`, which returns nil at the end.
  static func read(_ next: () throws(LineFault) -> UInt8?) throws(LineFault) -> Secret {
    let memory = LockedMemory(byteCount: limit)
    defer { withExtendedLifetime(memory) {} }
    let line = memory.bytes
    var count = 0
    while let byte = try next(), byte != UInt8(ascii: "\n") {
      guard count < limit, byte != 0 else { throw .notALine }
      line[count] = byte
      count += 1
    }
    if count > 0, line[count - 1] == UInt8(ascii: "\r") { count -= 1 }
    guard count > 0 else { throw .empty }
    return Secret(UnsafeRawBufferPointer(rebasing: line[..<count]))
  }
}
