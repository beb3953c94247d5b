import Secrets
import SystemPackage

/// Reads the first line of a source into memory that is wiped.
struct FirstLine {
  /// The maximum length of a line in bytes.
  static let limit = 4096

  let kind: SecretKind
  /// The source of the line in messages.
  let source: String
  /// The source in the message of a reading error; nil for `source`.
  var unreadableSource: String?

  /// Returns the line of a descriptor without its line end, LF or CR LF. Blocks.
  ///
  /// - Parameter isCancelled: checked ten times a second.
  func read(from descriptor: CInt, isCancelled: () -> Bool = { false }) throws(SecretError) -> Secret {
    try read { () throws(SecretError) in
      do throws(Errno) {
        return try Descriptor.readByte(from: descriptor, isCancelled: isCancelled)
      } catch {
        throw .unreadable(unreadableSource ?? source, error)
      }
    }
  }

  /// Returns the line from the bytes of `next`, which returns nil at the end.
  func read(_ next: () throws(SecretError) -> UInt8?) throws(SecretError) -> Secret {
    let memory = LockedMemory(byteCount: Self.limit)
    defer { withExtendedLifetime(memory) {} }
    let line = memory.bytes
    var count = 0
    while let byte = try next(), byte != UInt8(ascii: "\n") {
      guard count < Self.limit, byte != 0 else { throw .notALine(kind, source: source) }
      line[count] = byte
      count += 1
    }
    if count > 0, line[count - 1] == UInt8(ascii: "\r") { count -= 1 }
    guard count > 0 else { throw .empty(source: source) }
    return Secret(UnsafeRawBufferPointer(rebasing: line[..<count]))
  }
}
