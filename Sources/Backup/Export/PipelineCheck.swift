import FileSystem
import Synchronization
import SystemPackage

extension PhotoPipeline {
  /// An item that cannot be archived.
  struct BadItem: Equatable, Sendable {
    /// Its index in the list.
    var index: Int
    /// Why.
    var reason: ItemReason
  }

  /// Opens and reads every item to its end without writing anything, and returns those that `write` would
  /// end for, in the list's order. Blocks; throws `CancellationError`, or `FileError` if threads cannot be
  /// had.
  static func check(
    _ items: [PipelineItem], readers: Int = 2, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> [BadItem] {
    let shared = CheckState()
    var threads = WorkerThreads()
    do {
      for _ in 0..<max(readers, 1) {
        try threads.start {
          let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
          defer { buffer.deallocate() }
          while true {
            let index = shared.next.add(1, ordering: .relaxed).oldValue
            guard index < items.count else { return }
            guard let reason = items[index].whatIsWrong(buffer, isCancelled) else { continue }
            shared.bad.withLock { $0.append(BadItem(index: index, reason: reason)) }
          }
        }
      }
    } catch {
      shared.next.store(items.count, ordering: .relaxed)
      throw error
    }
    threads.join()
    if isCancelled() { throw CancellationError() }
    return shared.bad.withLock { $0.sorted { $0.index < $1.index } }
  }

  private final class CheckState: Sendable {
    let next = Atomic<Int>(0)
    let bad = Mutex<[BadItem]>([])
  }
}

extension PipelineItem {
  /// Reads the whole file; nil if it has exactly the bytes that it should have.
  fileprivate func whatIsWrong(
    _ buffer: UnsafeMutableRawBufferPointer, _ isCancelled: () -> Bool
  ) -> ItemReason? {
    do throws(FileError) {
      if isCancelled() { return nil }
      let file = try open()
      var position = 0
      while position <= size && !isCancelled() {
        // one byte more than expected, to see whether the file goes on
        let wanted = min(size - position + 1, buffer.count)
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        let count = try file.read(into: piece, at: position)
        position += count
        if count < wanted { return position < size ? .tooShort(bytes: position) : nil }
      }
      return isCancelled() ? nil : .tooLong
    } catch {
      return .file(error)
    }
  }
}
