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
    do {
      return try CatalogueHelper().support
    } catch let error as CatalogueSupportError {
      throw error
    } catch {
      throw .notStarted("\(error)")
    }
  }
}

extension CatalogueSupport {
  /// Reads the first message of the program.
  ///
  /// - Throws: `CatalogueSupportError` if it cannot write catalogues.
  init(_ hello: HelperProcess.Hello) throws(CatalogueSupportError) {
    switch hello.status {
    case 0: break
    case 1: throw .noLibraries
    case 2: throw .noSandbox
    case 3: throw .noFont
    default: throw .notStarted("\(HelperProcess.Failure.otherVersion)")
    }
    protections = PictureSupport.Protection.active(in: hello.protections)
    (cairo, pango) = (
      Self.version(hello.details.number(at: 0)), Self.version(hello.details.number(at: 4))
    )
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
