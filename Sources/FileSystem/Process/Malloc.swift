import CSystemCalls
import Glibc

/// Settings of the C library's memory allocation.
package enum Malloc {
  /// Makes the C library return freed blocks of 1 MiB and more to the system, and keep at most 2 MiB of smaller ones.
  /// Such large blocks are, for example, lists of all photos. By default, the C library raises the threshold up to 32
  /// MiB each time a larger block is freed. mallopt(3)
  package static func returnLargeBlocksToSystem() { _ = smilepile_map_blocks_from(1 << 20) }
}

extension UnsafeMutableRawBufferPointer {
  /// Allocates memory that begins at a page boundary. The caller frees it with `freePages`. posix_memalign(3).
  package static func pages(byteCount: Int) throws(MemoryShortage) -> UnsafeMutableRawBufferPointer {
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, 4096, byteCount) == 0, let memory else {
      throw MemoryShortage(bytes: byteCount)
    }
    return UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
  }

  /// Frees memory that `pages` allocated.
  package func freePages() { free(baseAddress) }
}

/// Memory that begins at a page boundary, and that several owners share. The release of the last reference frees it.
package final class PageBuffer {
  /// The memory.
  package let bytes: UnsafeMutableRawBufferPointer

  /// Allocates memory.
  package init(byteCount: Int) throws(MemoryShortage) { bytes = try .pages(byteCount: byteCount) }

  deinit { bytes.freePages() }
}
