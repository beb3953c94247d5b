import Glibc

/// A password or PIN in memory. Printing, logging or dumping it, or a value that contains it, yields `(password)`. Its
/// bytes are in memory that is locked, kept out of core dumps, and wiped with the last copy. With the first secret, the
/// process stops writing core dumps. A `String` from which it was made is copied by the runtime and not wiped, so
/// callers should read secrets as bytes if possible.
public struct Secret: Sendable {
  /// The bytes and a terminating zero.
  private let memory: LockedMemory

  /// Makes a secret of the UTF-8 of a text.
  public init(_ text: String) {
    var text = text
    memory = text.withUTF8 { Self.memory(of: UnsafeRawBufferPointer($0)) }
  }

  /// Makes a secret of bytes.
  public init(_ bytes: UnsafeRawBufferPointer) { memory = Self.memory(of: bytes) }

  /// The number of bytes.
  public var byteCount: Int { memory.bytes.count - 1 }

  /// True if it has no bytes.
  public var isEmpty: Bool { byteCount == 0 }

  /// Calls `body` with the bytes, which are valid only during the call. `body` must not keep a copy.
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(rebasing: memory.bytes.dropLast()))
  }

  /// Calls `body` with the bytes and a terminating zero, for C. Callers must refuse secrets that contain a zero first,
  /// since C truncates them there.
  public func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
    try memory.bytes.withMemoryRebound(to: CChar.self) { characters in
      // never nil: the memory contains at least the terminating zero
      try characters.baseAddress.map { try body($0) } ?? body("")
    }
  }

  /// Copies bytes and adds a terminating zero.
  private static func memory(of source: UnsafeRawBufferPointer) -> LockedMemory {
    let memory = LockedMemory(byteCount: source.count + 1)
    memory.bytes.copyMemory(from: source)
    return memory
  }
}

extension Secret: Equatable {
  /// Compares in a time that does not depend on where the bytes differ.
  public static func == (one: Secret, other: Secret) -> Bool {
    let (a, b) = (one.memory.bytes, other.memory.bytes)
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `(password)`.
  public var description: String { "(password)" }
  /// The same.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UnsafeMutableRawBufferPointer {
  /// Overwrites the bytes with zeros; the compiler cannot optimize this away. explicit_bzero(3).
  public func wipe() {
    if let baseAddress { explicit_bzero(baseAddress, count) }
  }
}
