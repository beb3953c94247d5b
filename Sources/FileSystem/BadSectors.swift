import Synchronization
import SystemPackage

/// Reads what a disk still gives of a file, and zeros for the rest. Shared by the threads that read a file.
final class BadSectors: Sendable {
  /// What is passed over at a time: a page of the kernel's, in which it reads files.
  private static let step = 4096
  /// A disk of which nothing comes is soon found out.
  private static let mostSteps = 16384

  /// The steps that were passed over, by their place in the file: it is read several times over.
  private let steps = Mutex<Set<Int>>([])

  /// Reads what follows an offset at which a read has failed: as far as the next step, once more, or else zeros.
  ///
  /// - Returns: the bytes that are in the buffer now; 0 at the end of the file.
  /// - Throws: EIO where too much was passed over already.
  func read(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    let length = min(buffer.count, Self.step - offset % Self.step)
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
    do throws(Errno) {
      return try SystemCalls.pread(descriptor, piece, at: offset)
    } catch {
      guard error == .ioError, mayPassOver(offset / Self.step) else { throw error }
      let left = Int(try SystemCalls.fstat(descriptor).st_size) - offset
      guard left > 0 else { return 0 }
      let count = min(length, left)
      piece[..<count].initializeMemory(as: UInt8.self, repeating: 0)
      return count
    }
  }

  private func mayPassOver(_ step: Int) -> Bool {
    steps.withLock { steps in
      if steps.count < Self.mostSteps { steps.insert(step) }
      return steps.contains(step)
    }
  }
}
