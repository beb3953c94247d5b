internal import FileSystem
internal import Pictures
import Processes
internal import SystemPackage

/// A running `smilepile-catalogue`. It writes one document. The deinitializer ends it.
final class CatalogueHelper {
  private static let protocolVersion: UInt16 = 2
  private static let hello = HelperProcess.Hello.Kind(
    magic: 0x4C45_4843, version: protocolVersion, detailBytes: 8)
  /// The most bytes of a packet.
  private static let packetBytes = 32 << 10
  /// How long the program may take to read a packet. It reads fonts, which may be on a slow disk.
  private static let timeLimit = Duration.seconds(60)

  let support: CatalogueSupport
  /// Nil after the document.
  private var process: HelperProcess?
  private var waiting: [UInt8] = []
  private var hasBegun = false

  /// Starts the program. Blocks until it is ready, for at most 60 s; checks `isCancelled` ten times a second.
  ///
  /// - Parameter program: nil for the installed program; tests have others.
  /// - Throws: `HelperError` if the program is missing, does not start in time, or cannot write catalogues here;
  ///   `CancellationError`.
  init(program: FilePath? = nil, isCancelled: () -> Bool = { false }) throws {
    let (process, hello) = try Helper.catalogue.start(
      program ?? Helper.catalogue.find(), Self.hello, isCancelled: isCancelled)
    (self.process, support) = (process, CatalogueSupport(hello))
  }

  /// The process ID, for tests.
  var id: Int32? { process?.id }

  /// The end of a document.
  struct Reply {
    /// The number of pages.
    let pages: Int
    /// The number of different characters that no font has, and the first of them.
    let missing: (count: Int, characters: [Unicode.Scalar])
  }

  /// Writes a document into a file. Blocks. The program has ended when this returns or throws. The caller must discard
  /// the file after an error.
  ///
  /// - Parameters:
  ///   - draw: passes on the commands; the last one is `end`.
  ///   - isCancelled: checked ten times a second while the program does not read.
  /// - Throws: `CatalogueFault`, `FileError`, `CancellationError`, or what `draw` throws.
  func write(
    to file: borrowing File, isCancelled: @escaping () -> Bool,
    _ draw: (_ pass: (DocumentCommand) throws -> Void) throws -> Void
  ) throws -> Reply {
    defer { process = nil }
    do {
      do {
        try draw { command in
          command.append(to: &waiting)
          if waiting.count >= Self.packetBytes { try flush(file, isCancelled) }
        }
        try flush(file, isCancelled)
      } catch is RepliedEarly {
        // the reply has the reason
      }
      let reply = try running.receive(
        atMost: Self.replyLength, until: .now + Self.timeLimit, isCancelled: isCancelled)
      return try Self.reply(reply, to: file.path)
    } catch let failure as HelperProcess.Failure {
      throw failure == .cancelled ? CancellationError() : CatalogueFault.ofHelper("\(failure)")
    }
  }

  private var running: HelperProcess {
    get throws {
      guard let process else { throw CatalogueFault.ofHelper("it has written a document already") }
      return process
    }
  }

  /// The program replied before the end of the document.
  private struct RepliedEarly: Error {}

  /// Sends the waiting bytes. The first packet takes the file along.
  ///
  /// - Throws: `RepliedEarly` if the program has replied.
  private func flush(_ file: borrowing File, _ isCancelled: () -> Bool) throws {
    var rest = waiting[...]
    waiting = []
    while !rest.isEmpty {
      let packet = Array(rest.prefix(Self.packetBytes))
      rest = rest.dropFirst(packet.count)
      if !hasBegun {
        try running.send(packet, file)
        hasBegun = true
      } else if try !running.send(packet, until: .now + Self.timeLimit, isCancelled: isCancelled) {
        throw RepliedEarly()
      }
    }
  }

  private static let mostCharacters = 16
  private static let replyLength = 20 + 4 * mostCharacters

  /// Parses a reply.
  ///
  /// - Throws: `FileError` if the file could not be written; `CatalogueFault`.
  private static func reply(_ bytes: [UInt8], to file: FilePath) throws -> Reply {
    guard bytes.count == replyLength, bytes.number(at: 0) == 0x504C_4552 as UInt32,
      bytes.number(at: 4) == protocolVersion
    else { throw CatalogueFault.ofHelper("it sent an invalid message") }
    let code = bytes.number(at: 12) as Int32
    switch bytes.number(at: 6) as UInt16 {
    case 0: break
    case 1: throw FileError("write", file, Errno(rawValue: code))
    case 2: throw CatalogueFault.ofHelper("cairo reports the error \(code)")
    default: throw CatalogueFault.ofHelper("it refused a command")
    }
    let count = Int(bytes.number(at: 16) as UInt32)
    let characters = (0..<min(count, mostCharacters)).compactMap { index in
      Unicode.Scalar(bytes.number(at: 20 + 4 * index) as UInt32)
    }
    return Reply(pages: Int(bytes.number(at: 8) as UInt32), missing: (count, characters))
  }
}
