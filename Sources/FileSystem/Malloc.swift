import CSystemCalls
import Glibc

/// Blocks of memory of 1 MiB and more, as lists of all photos are.
package enum Malloc {
  /// From now on, such a block goes back to the system when it is let go, and twice as much of smaller ones stays at hand
  /// for the next. The C library would keep larger and larger ones for itself, up to 32 MiB, after each that it has given
  /// back. mallopt(3)
  package static func returnLargeBlocksToSystem() { _ = smilepile_map_blocks_from(1 << 20) }
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
