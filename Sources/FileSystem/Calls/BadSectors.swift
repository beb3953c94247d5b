import Synchronization
import SystemPackage

/// Reads a file from a failing disk, with zeros in place of unreadable sectors. The threads that read a file share it.
final class BadSectors: Sendable {
  /// The number of bytes to skip: a page, the unit in which the kernel reads files.
  private static let step = 4096
  /// The most steps to skip (64 MiB), so that a dead disk soon causes an error.
  private static let mostSteps = 16384

  /// The indices of the steps that were skipped. They are not read again: a file is read several times, and a failing
  /// disk takes seconds for each attempt.
  private let steps = Mutex<Set<Int>>([])

  /// Reads at an offset as pread(2) does. If that fails, reads again up to the next step. If that fails too, returns
  /// zeros.
  ///
  /// - Returns: the number of bytes in the buffer; 0 at the end of the file.
  /// - Throws: the error of pread(2); EIO if too many steps were skipped.
  func read(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    let reach = bytesBeforeBadStep(buffer.count, from: offset)
    let nearest = min(buffer.count, Self.step - offset % Self.step)
    for length in [reach, min(reach, nearest)] where length > 0 {
      do throws(Errno) {
        return try SystemCalls.pread(
          descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), at: offset)
      } catch {
        guard error == .ioError else { throw error }
      }
    }
    guard canSkip(offset / Self.step) else { throw .ioError }
    let left = Int(try SystemCalls.fstat(descriptor).st_size) - offset
    guard left > 0 else { return 0 }
    let count = min(nearest, left)
    buffer[..<count].initializeMemory(as: UInt8.self, repeating: 0)
    return count
  }

  /// Returns how many of `count` bytes precede the next step that is known to be bad; 0 within one.
  private func bytesBeforeBadStep(_ count: Int, from offset: Int) -> Int {
    steps.withLock { steps in
      guard !steps.isEmpty, count > 0 else { return count }
      let bad = (offset / Self.step...(offset + count - 1) / Self.step).first { steps.contains($0) }
      return bad.map { max(0, $0 * Self.step - offset) } ?? count
    }
  }

  private func canSkip(_ step: Int) -> Bool {
    steps.withLock { steps in
      if steps.count < Self.mostSteps { steps.insert(step) }
      return steps.contains(step)
    }
  }
}
