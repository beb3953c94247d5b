import Secrets
import SystemPackage

/// Why a descriptor did not give a line.
enum LineFault: Error, Equatable {
  /// The first line, or the input, is empty.
  case empty
  /// The line has more than `FirstLine.limit` bytes, or a zero byte.
  case notALine
  /// The bytes cannot be read.
  case unreadable(Errno)
}

/// Reads the first line into memory that is wiped.
enum FirstLine {
  /// The maximum length of a line in bytes.
  static let limit = 4096

  /// Returns the line of a descriptor without its line end, LF or CR LF. Blocks.
  ///
  /// - Parameter isCancelled: checked ten times a second.
  static func read(from descriptor: CInt, isCancelled: () -> Bool = { false }) throws(LineFault) -> Secret {
    try read { () throws(LineFault) in
      do throws(Errno) {
        return try Descriptor.readByte(from: descriptor, isCancelled: isCancelled)
      } catch {
        throw .unreadable(error)
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
