import Glibc

/// There is less memory than was asked for. Swift's own way to get some ends the program then; whoever takes much of it
/// at once asks for `pages`, so that a shortage is an error like any other.
package struct MemoryShortage: Error, Sendable, Equatable, CustomStringConvertible {
  /// How much was asked for.
  package let bytes: Int

  /// Makes the error.
  package init(bytes: Int) { self.bytes = bytes }

  /// One line, with the remedy.
  package var description: String { "cannot get \(bytes) bytes of memory; \(Self.remedy)" }

  package static let remedy = "free memory, or raise its limit (ulimit -v)"

  /// Looks whether so much could be had; nothing is kept. mmap(2)
  package static func requireMemory(_ bytes: Int) throws(MemoryShortage) {
    let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { throw MemoryShortage(bytes: bytes) }
    munmap(memory, bytes)
  }
}
