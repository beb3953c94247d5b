import Synchronization
import SystemPackage

/// Reads what a disk still gives of a file, and zeros for the rest. Shared by the threads that read a file.
final class BadSectors: Sendable {
  /// What is passed over at a time: a page of the kernel's, in which it reads files.
  private static let step = 4096
  /// A disk of which nothing comes is soon found out.
  private static let mostSteps = 16384

  /// The steps that were passed over, by their place in the file. They are not asked for again: a file is read several
  /// times over, and a dying disk takes seconds for each answer.
  private let steps = Mutex<Set<Int>>([])

  /// Reads what follows an offset, as pread(2) does: where that fails, as far as the next step, once more, or else zeros.
  ///
  /// - Returns: the bytes that are in the buffer now; 0 at the end of the file.
  /// - Throws: what pread(2) fails with; EIO where too much was passed over already.
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
    guard mayPassOver(offset / Self.step) else { throw .ioError }
    let left = Int(try SystemCalls.fstat(descriptor).st_size) - offset
    guard left > 0 else { return 0 }
    let count = min(nearest, left)
    buffer[..<count].initializeMemory(as: UInt8.self, repeating: 0)
    return count
  }

  /// How many of so many bytes come before a step that is known to be bad; 0 in one.
  private func bytesBeforeBadStep(_ count: Int, from offset: Int) -> Int {
    steps.withLock { steps in
      guard !steps.isEmpty, count > 0 else { return count }
      let bad = (offset / Self.step...(offset + count - 1) / Self.step).first { steps.contains($0) }
      return bad.map { max(0, $0 * Self.step - offset) } ?? count
    }
  }

  private func mayPassOver(_ step: Int) -> Bool {
    steps.withLock { steps in
      if steps.count < Self.mostSteps { steps.insert(step) }
      return steps.contains(step)
    }
  }
}
