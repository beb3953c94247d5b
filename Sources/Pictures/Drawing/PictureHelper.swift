internal import FileSystem
import Glibc
import Processes
internal import SystemPackage

/// A running helper. It draws one picture at a time.
final class PictureHelper {
  /// Why the helper gave no answer.
  enum Failure: Error {
    case ended(HelperProcess.Ending)
    case timeLimit
    case cancelled
    /// The answer is no message of the protocol.
    case invalidReply
  }

  let support: PictureSupport
  private let process: HelperProcess
  /// The number of pictures that were requested.
  private(set) var requests: UInt64 = 0

  /// True if the helper ended while it had nothing to draw.
  var hasEnded: Bool { process.hasEnded }

  /// The process ID, for tests.
  var id: pid_t { process.id }

  /// Starts a helper. Blocks until it is ready; checks `isCancelled` ten times a second.
  ///
  /// - Throws: `HelperError`; `CancellationError`.
  init(program: FilePath, isCancelled: () -> Bool = { false }) throws {
    let (process, hello) = try Helper.pictures.start(
      program, environment: ["VIPS_WARNING=0"], HelperMessages.hello, isCancelled: isCancelled)
    (self.process, support) = (process, PictureSupport(hello))
  }

  /// Draws a picture. Blocks.
  ///
  /// - Returns: the reason if the photo cannot be drawn.
  func draw(
    _ request: PictureRequest, _ photo: borrowing File, until deadline: ContinuousClock.Instant,
    isCancelled: () -> Bool
  ) throws(Failure) -> Result<Picture, PictureFault> {
    requests += 1
    do {
      try process.send(HelperMessages.request(request, number: requests), photo)
      let header = try process.receive(
        atMost: HelperMessages.length, until: deadline, isCancelled: isCancelled)
      guard let reply = HelperMessages.reply(header, to: request), reply.number == requests else {
        throw Failure.invalidReply
      }
      var bytes: [UInt8] = []
      while bytes.count < reply.length {
        bytes += try process.receive(
          atMost: HelperMessages.packetBytes, until: deadline, isCancelled: isCancelled)
      }
      guard bytes.count == reply.length else { throw Failure.invalidReply }
      switch reply.status {
      case .drawn:
        let jpeg = bytes.dropFirst(Fingerprint.messageBytes)
        guard jpeg.starts(with: [0xFF, 0xD8, 0xFF]) else { throw Failure.invalidReply }
        return .success(
          Picture(
            width: reply.width, height: reply.height, jpeg: Array(jpeg), photoPixels: reply.photoPixels,
            fingerprint: Fingerprint(message: bytes)))
      case .unknownFormat: return .failure(.unknownFormat)
      case .unreadable: return .failure(.unreadable)
      case .refused: throw Failure.invalidReply
      case .tooLarge: return .failure(.tooLarge)
      }
    } catch let failure as Failure {
      throw failure
    } catch let failure as HelperProcess.Failure {
      switch failure {
      case .ended(let ending): throw .ended(ending)
      case .timeLimit: throw .timeLimit
      case .cancelled: throw .cancelled
      case .notRun, .otherVersion: throw .invalidReply
      }
    } catch {
      throw .invalidReply
    }
  }
}
