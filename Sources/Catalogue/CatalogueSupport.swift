public import Pictures
import Processes

/// What writes catalogues on this machine.
public struct CatalogueSupport: Sendable, Equatable {
  /// The version of cairo, as `1.16.0`.
  public let cairo: String
  /// The version of Pango, as `1.50.12`.
  public let pango: String
  /// The protections that the kernel has.
  public let protections: [PictureSupport.Protection]

  /// The protections that the kernel lacks.
  public var missingProtections: [PictureSupport.Protection] {
    PictureSupport.Protection.allCases.filter { !protections.contains($0) }
  }

  /// Starts the program and ends it. Blocks for some tenths of a second.
  ///
  /// - Throws: `CatalogueSupportError`.
  public static func find() throws(CatalogueSupportError) -> CatalogueSupport {
    try CatalogueHelper().support
  }
}

extension CatalogueSupport {
  /// The bytes of a hello.
  static let helloLength = 24

  /// Parses the first message of the program.
  ///
  /// - Throws: `CatalogueSupportError` if it cannot write catalogues.
  init(_ hello: [UInt8]) throws(CatalogueSupportError) {
    guard hello.count == Self.helloLength, hello.number(at: 0) == 0x4C45_4843 as UInt32,
      hello.number(at: 4) == CatalogueHelper.protocolVersion
    else { throw .notStarted("it is of another version; install smilepile again") }
    switch hello.number(at: 6) as UInt16 {
    case 0: break
    case 1: throw .noLibraries
    case 2: throw .noSandbox
    case 3: throw .noFont
    default: throw .notStarted("it sent a message of another version; install smilepile again")
    }
    protections = PictureSupport.Protection.active(in: hello.number(at: 8))
    (cairo, pango) = (Self.version(hello.number(at: 12)), Self.version(hello.number(at: 16)))
  }

  /// Returns `1.16.0` for 11600.
  private static func version(_ number: UInt32) -> String {
    "\(number / 10000).\(number / 100 % 100).\(number % 100)"
  }
}

/// Why no catalogue can be written on this machine.
public enum CatalogueSupportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The program that writes catalogues is not installed.
  case noProgram
  /// cairo or Pango is not installed, or too old.
  case noLibraries
  /// The kernel cannot filter system calls.
  case noSandbox
  /// No font is installed.
  case noFont
  /// The program does not start; the reason.
  case notStarted(String)

  /// One line for the user.
  public var description: String {
    switch self {
    case .noProgram:
      "writing a catalogue needs the program \(CatalogueHelper.name), which is not where smilepile is; "
        + "install smilepile again"
    case .noLibraries: "writing a catalogue needs cairo and Pango: apt install libpangocairo-1.0-0"
    case .noSandbox:
      "writing a catalogue needs a kernel with seccomp filters, which keep names and photos from doing harm"
    case .noFont: "writing a catalogue needs a font: apt install fonts-noto-core"
    case .notStarted(let reason): "cannot start \(CatalogueHelper.name): \(reason)".escaped
    }
  }
}
