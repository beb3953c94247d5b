import CSystemCalls
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

/// Blocks of memory of 1 MiB and more, as lists of all photos are.
package enum LargeBlocks {
  /// From now on, such a block goes back to the system when it is let go, and twice as much of smaller ones stays at hand
  /// for the next. The C library would keep larger and larger ones for itself, up to 32 MiB, after each that it has given
  /// back. mallopt(3)
  package static func giveBack() { _ = smilepile_map_blocks_from(1 << 20) }
}

extension UnsafeMutableRawBufferPointer {
  /// Memory that begins with a page of its own, to be given back by `freePages`. posix_memalign(3).
  package static func pages(byteCount: Int) throws(MemoryShortage) -> UnsafeMutableRawBufferPointer {
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, 4096, byteCount) == 0, let memory else {
      throw MemoryShortage(bytes: byteCount)
    }
    return UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
  }

  /// Gives back what `pages` gave.
  package func freePages() { free(baseAddress) }
}
