import Glibc
import Operations

/// A memory allocation failed. Swift's own allocation would end the program, so code that needs much memory at once
/// uses `UnsafeMutableRawBufferPointer.pages`, which throws this error.
package struct MemoryShortage: ExplainedError, Sendable, Equatable, CustomStringConvertible {
  /// The number of bytes that could not be allocated.
  package let bytes: Int

  package var cause: ErrorCause { .environment }

  /// Makes the error.
  package init(bytes: Int) { self.bytes = bytes }

  /// One line, with the remedy.
  package var description: String { "cannot allocate \(bytes) bytes of memory; \(Self.remedy)" }

  package static let remedy = "increase the memory limit (ulimit -v)"

  /// Throws if this many bytes cannot be allocated; frees them again. mmap(2)
  package static func requireMemory(_ bytes: Int) throws(MemoryShortage) {
    let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { throw MemoryShortage(bytes: bytes) }
    munmap(memory, bytes)
  }
}
