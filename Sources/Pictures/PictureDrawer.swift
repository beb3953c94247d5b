package import FileSystem
import Foundation
import ImageHeader
internal import Operations
import Processes
package import SystemPackage

/// Draws pictures with a helper process of its own, which it replaces when the helper crashes, takes too long, or has
/// drawn many pictures. A thread of a pool uses one value.
package final class PictureDrawer {
  /// The most helpers at a time, one for each core.
  package static var poolSize: Int { min(4, Workers.defaultCount) }

  /// How long a photo may take.
  package static let timeLimit = Duration.seconds(20)
  /// The number of pictures after which a helper is replaced, so that what a decoder leaks does not add up.
  static let picturesOfHelper: UInt64 = 500
  /// How often a helper that ends before it is ready is started again.
  private static let startAttempts = 5

  private let program: FilePath
  private let timeLimit: Duration
  private var helper: PictureHelper?
  /// The number of helpers that ended, or were killed, while they drew a photo.
  package private(set) var failures = 0

  /// Finds the helper, and starts it with the first picture.
  ///
  /// - Throws: `PictureSupportError.noProgram`.
  package convenience init() throws(PictureSupportError) {
    self.init(program: try PictureHelper.findProgram())
  }

  /// - Parameter program: the helper, or a program that behaves like one.
  package init(program: FilePath, timeLimit: Duration = timeLimit) {
    (self.program, self.timeLimit) = (program, timeLimit)
  }

  /// Finds the helper, without starting it. Blocks; must be called before other threads start helpers.
  ///
  /// - Throws: `PictureSupportError.noProgram`.
  package static func program() throws(PictureSupportError) -> FilePath { try PictureHelper.findProgram() }

  /// The process ID of the helper that runs now; nil if none runs.
  package var helperID: Int32? { helper?.id }

  /// Draws a picture of a photo. Blocks. If the helper ends while it draws, a new helper tries the photo once more. If
  /// that one ends too, the photo counts as crashing helpers. The cause of an end is not known: the kernel kills a helper
  /// with the same signal for lack of memory, whether or not the photo is to blame. The end of a helper that waits for
  /// a photo counts for nothing.
  ///
  /// - Parameter isCancelled: checked ten times a second.
  /// - Returns: the reason if the photo cannot be drawn.
  /// - Throws: `PictureSupportError` if no helper can be started; `FileError` if the file cannot be read;
  ///   `CancellationError`.
  package func draw(
    _ request: PictureRequest, _ photo: borrowing File, isCancelled: () -> Bool = { false }
  ) throws -> Result<Picture, PictureFault> {
    let header = try ImageHeader.read(timeZone: .gmt) { (offset, count) throws(FileError) in
      try photo.read(count, at: offset)
    }
    if header.width.saturated(times: header.height) > PictureFault.mostPixels { return .failure(.tooLarge) }
    var left = timeLimit
    for _ in 1...2 {
      // the start of a helper takes longer on a slow disk, for which the photo is not to blame
      let helper = try current()
      let start = ContinuousClock.now
      defer { left -= start.duration(to: .now) }
      do throws(PictureHelper.Failure) {
        return try helper.draw(request, photo, until: start + left, isCancelled: isCancelled).map { picture in
          var picture = picture
          picture.captured = header.taken.map(CaptureTime.init)
          return picture
        }
      } catch {
        self.helper = nil
        if case .cancelled = error { throw CancellationError() }
        failures += 1
        if case .timeLimit = error { return .failure(.timeLimit) }
      }
    }
    return .failure(.crashed)
  }

  /// Ends the helper.
  package func stop() { helper = nil }

  private func current() throws(PictureSupportError) -> PictureHelper {
    if let helper, helper.requests < Self.picturesOfHelper, !helper.hasEnded { return helper }
    // the old one ends before the new one takes memory
    helper = nil
    for _ in 1..<Self.startAttempts {
      do {
        return try start()
      } catch .notStarted {
        // the kernel may have killed it for lack of memory
        continue
      }
    }
    return try start()
  }

  private func start() throws(PictureSupportError) -> PictureHelper {
    let new = try PictureHelper(program: program)
    helper = new
    return new
  }
}
