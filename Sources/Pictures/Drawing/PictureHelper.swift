internal import FileSystem
import Glibc
import Processes
internal import SystemPackage

/// A running helper. It draws one picture at a time.
final class PictureHelper {
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
  /// - Throws: `.otherVersion` also if the answer is no message of the protocol.
  func draw(
    _ request: PictureRequest, _ photo: borrowing File, until deadline: ContinuousClock.Instant,
    isCancelled: () -> Bool
  ) throws(HelperProcess.Failure) -> Result<Picture, PictureFault> {
    requests += 1
    try process.send(HelperMessages.request(request, number: requests), photo)
    let header = try process.receive(
      atMost: HelperMessages.length, until: deadline, isCancelled: isCancelled)
    guard let reply = HelperMessages.reply(header, to: request), reply.number == requests else {
      throw .otherVersion
    }
    var bytes: [UInt8] = []
    while bytes.count < reply.length {
      bytes += try process.receive(
        atMost: HelperMessages.packetBytes, until: deadline, isCancelled: isCancelled)
    }
    guard bytes.count == reply.length else { throw .otherVersion }
    switch reply.status {
    case .drawn:
      let jpeg = bytes.dropFirst(Fingerprint.messageBytes)
      guard jpeg.starts(with: [0xFF, 0xD8, 0xFF]) else { throw .otherVersion }
      return .success(
        Picture(
          width: reply.width, height: reply.height, jpeg: Array(jpeg), photoPixels: reply.photoPixels,
          fingerprint: Fingerprint(message: bytes)))
    case .unknownFormat: return .failure(.unknownFormat)
    case .unreadable: return .failure(.unreadable)
    case .refused: throw .otherVersion
    case .tooLarge: return .failure(.tooLarge)
    }
  }
}
