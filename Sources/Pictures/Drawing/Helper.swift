internal import FileSystem
import Glibc
import Processes
package import SystemPackage

/// A program that smilepile starts for work on untrusted bytes.
package enum Helper: String, Sendable {
  /// Draws pictures with libvips.
  case pictures = "smilepile-pictures"
  /// Writes catalogues with cairo and Pango.
  case catalogue = "smilepile-catalogue"

  /// Finds the program beside the running one, or in `../libexec/smilepile`, where `scripts/install` puts it. Follows
  /// `/proc/self/exe`, so that a link to the running program may be anywhere. Checks that this user may execute the program
  /// (`X_OK`), neither its owner nor what it is.
  ///
  /// - Throws: `HelperError.Cause.noProgram`.
  package func find() throws(HelperError) -> FilePath {
    let folder = FilePath("/proc/self/exe").realPath?.removingLastComponent()
    let places = folder.map { [$0, $0.removingLastComponent().appending("libexec/smilepile")] } ?? []
    let programs = places.map { $0.appending(rawValue) }
    guard let program = programs.first(where: { access($0.string, X_OK) == 0 }) else {
      throw HelperError(self, .noProgram)
    }
    return program
  }

  /// The environment variables of every helper. A helper gets no other variables of this process, since some make libraries
  /// load files.
  private static var environment: [String] {
    let path = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=\(String(cString: $0))" }
    return ["LC_ALL=C.UTF-8"] + [path].compactMap(\.self)
  }

  /// Starts a program. Blocks until it is ready, for at most 60 s; checks `isCancelled` ten times a second.
  ///
  /// - Throws: `HelperError` if the program does not start in time, or cannot work here; `CancellationError`.
  package func start(
    _ program: FilePath, environment: [String] = [], _ kind: HelperProcess.Hello.Kind,
    isCancelled: () -> Bool
  ) throws -> (HelperProcess, HelperProcess.Hello) {
    let started: (process: HelperProcess, hello: HelperProcess.Hello)
    do throws(HelperProcess.Failure) {
      started = try HelperProcess.start(
        program.string, environment: Self.environment + environment, kind, isCancelled: isCancelled)
    } catch {
      throw error == .cancelled ? CancellationError() : HelperError(self, .notStarted("\(error)"))
    }
    switch started.hello.status {
    case 0: return started
    case 1: throw HelperError(self, .noLibraries)
    case 2: throw HelperError(self, .noSandbox)
    case 3: throw HelperError(self, .noFont)
    default: throw HelperError(self, .notStarted("\(HelperProcess.Failure.otherVersion)"))
    }
  }
}

/// Why a helper cannot work on this machine.
public struct HelperError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is missing.
  public enum Cause: Equatable, Sendable {
    /// The program is not installed.
    case noProgram
    /// A library is not installed, or too old.
    case noLibraries
    /// The kernel cannot filter system calls.
    case noSandbox
    /// No font is installed.
    case noFont
    /// The program does not start; the reason.
    case notStarted(String)
  }

  let helper: Helper
  /// What is missing.
  public let cause: Cause

  /// Makes the error of a helper.
  package init(_ helper: Helper, _ cause: Cause) { (self.helper, self.cause) = (helper, cause) }

  /// One line for the user.
  public var description: String {
    let (task, libraries, input) =
      switch helper {
      case .pictures: ("drawing pictures", "libvips: apt install libvips42", "photos")
      case .catalogue:
        ("writing a catalogue", "cairo and Pango: apt install libpangocairo-1.0-0", "names and photos")
      }
    return switch cause {
    case .noProgram:
      "\(task) needs the program \(helper.rawValue), which is not where smilepile is; install smilepile again"
    case .noLibraries: "\(task) needs \(libraries)"
    case .noSandbox: "\(task) needs a kernel with seccomp filters, which keep \(input) from doing harm"
    case .noFont: "\(task) needs a font: apt install fonts-noto-core"
    case .notStarted(let reason): "cannot start \(helper.rawValue): \(reason)".escaped
    }
  }
}
