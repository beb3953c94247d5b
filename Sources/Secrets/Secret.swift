import Glibc

/// A password or PIN in memory. It is never shown: whoever prints, logs or dumps it, or a value that holds it, sees
/// `(password)`. Its bytes are wiped when the last copy goes; what has passed through a `String` on its way here was
/// copied by the runtime, which wipes nothing, so read it into bytes where that can be.
public struct Secret: Sendable {
  private let memory: Memory

  /// The UTF-8 of a text, as it stands.
  public init(_ text: String) {
    var text = text
    memory = text.withUTF8 { Memory(UnsafeRawBufferPointer($0)) }
  }

  /// These bytes.
  public init(_ bytes: UnsafeRawBufferPointer) { memory = Memory(bytes) }

  /// The number of bytes.
  public var byteCount: Int { memory.bytes.count - 1 }

  /// Whether there is nothing in it.
  public var isEmpty: Bool { byteCount == 0 }

  /// Runs `body` with the bytes. They are gone afterwards: make no copy that outlives the call.
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(rebasing: memory.bytes.dropLast()))
  }

  /// Runs `body` with the bytes and a zero after them, for C. A secret with a zero in it ends there for C, so
  /// refuse such ones before.
  public func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
    try memory.bytes.withMemoryRebound(to: CChar.self) { characters in
      // never empty: a zero stands at the end
      try characters.baseAddress.map { try body($0) } ?? body("")
    }
  }

  /// The bytes and a zero after them.
  ///
  /// `@unchecked Sendable` because the bytes are written by `init` alone, and wiped when nobody has them any more.
  private final class Memory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ source: UnsafeRawBufferPointer) {
      bytes = .allocate(byteCount: source.count + 1, alignment: 1)
      bytes.copyMemory(from: source)
      bytes[source.count] = 0
    }

    deinit {
      bytes.wipe()
      bytes.deallocate()
    }
  }
}

extension Secret: Equatable {
  /// Compares in a time that says nothing about where they differ.
  public static func == (one: Secret, other: Secret) -> Bool {
    let (a, b) = (one.memory.bytes, other.memory.bytes)
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `(password)`, whatever it is.
  public var description: String { "(password)" }
  /// The same.
  public var debugDescription: String { description }
  /// Nothing, so that `dump` finds nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UnsafeMutableRawBufferPointer {
  /// Overwrites the bytes with zeros, which the compiler does not leave out. explicit_bzero(3).
  public func wipe() {
    if let baseAddress { explicit_bzero(baseAddress, count) }
  }
}
