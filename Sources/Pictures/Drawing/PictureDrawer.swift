package import FileSystem
internal import ImageHeader
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

  private let program: Result<FilePath, HelperError>
  private let timeLimit: Duration
  /// Nil if no helper runs.
  private(set) var helper: PictureHelper?
  /// The number of helpers that ended, or were killed, while they drew a photo.
  private(set) var failures = 0

  /// Finds the program of helpers. The first picture starts a helper. Without the program, `draw` throws.
  package convenience init() { self.init(program: Self.program()) }

  /// - Parameter program: the result of `program()`, or a program that behaves like a helper.
  package init(program: Result<FilePath, HelperError>, timeLimit: Duration = timeLimit) {
    (self.program, self.timeLimit) = (program, timeLimit)
  }

  /// Finds the program of helpers once for all threads of a pool. Blocks.
  package static func program() -> Result<FilePath, HelperError> {
    Result { () throws(HelperError) in try Helper.pictures.find() }
  }

  /// Draws a picture of a photo. Blocks. If the helper ends while it draws, a new helper tries the photo once more. If
  /// that one ends too, the photo counts as crashing helpers. The cause of an end is not known: the kernel kills a helper
  /// with the same signal for lack of memory, whether or not the photo is to blame. The end of a helper that waits for
  /// a photo counts for nothing.
  ///
  /// - Parameter isCancelled: checked ten times a second.
  /// - Returns: the reason if the photo cannot be drawn.
  /// - Throws: `HelperError` if no helper can be started or the program is missing; `FileError` if the file cannot be read;
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
      let helper = try current(isCancelled)
      let start = ContinuousClock.now
      defer { left -= start.duration(to: .now) }
      do throws(HelperProcess.Failure) {
        return try helper.draw(request, photo, until: start + left, isCancelled: isCancelled).map { picture in
          var picture = picture
          picture.format = header.format
          picture.captured = header.taken.map(Timestamp.init)
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

  private func current(_ isCancelled: () -> Bool) throws -> PictureHelper {
    if let helper, helper.requests < Self.picturesOfHelper, !helper.hasEnded { return helper }
    // the old one ends before the new one takes memory
    helper = nil
    let new = try PictureHelper(program: program.get(), isCancelled: isCancelled)
    helper = new
    return new
  }
}
