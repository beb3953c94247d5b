import CSystemCalls
import Glibc

/// Memory for secrets: pages of their own, which are not swapped out, are not written to core dumps, and are wiped at the
/// end. The kernel may refuse to lock pages (RLIMIT_MEMLOCK); the memory is usable nevertheless.
///
/// `@unchecked Sendable` because its users write the bytes only before they share it, and `deinit` wipes them after the
/// last access.
package final class LockedMemory: @unchecked Sendable {
  /// The bytes, zero at first.
  package let bytes: UnsafeMutableRawBufferPointer
  /// The length of the mapping.
  private let length: Int

  /// Maps pages for a number of bytes. mmap(2), mlock(2), madvise(2).
  ///
  /// Before the first secret gets into memory, the process stops being dumpable, see `CoreDumps`.
  package init(byteCount: Int) {
    CoreDumps.areOff
    let page = Int(getpagesize())
    length = max(1, (byteCount + page - 1) / page) * page
    let address = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let address, address != MAP_FAILED else { fatalError("no memory for a secret") }
    _ = mlock(address, length)
    _ = madvise(address, length, MADV_DONTDUMP)
    bytes = UnsafeMutableRawBufferPointer(start: address, count: byteCount)
  }

  deinit {
    bytes.wipe()
    if let address = bytes.baseAddress { munmap(address, length) }
  }
}

/// The core dumps of this process.
enum CoreDumps {
  /// Turns core dumps off for the entire process, at the first use. This covers copies of secrets that other libraries
  /// make, such as those of libzip. Other processes of the user can no longer attach a debugger, and can no longer read
  /// this process's memory. prctl(2), getrlimit(2).
  ///
  /// A program that this process starts is dumpable again. It inherits the soft limit of 0, which it may raise: the hard
  /// limit stays.
  static let areOff: Void = {
    _ = smilepile_set_dumpable(0)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = 0
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
  }()
}
