import Processes

/// What the helper on this machine can draw, and what protects the machine against the photos that it decodes.
package struct PictureSupport: Sendable, Equatable {
  /// An image file format.
  package enum Format: String, Sendable, CaseIterable {
    /// JPEG.
    case jpeg
    /// PNG.
    case png
    /// WebP.
    case webp
    /// GIF.
    case gif
    /// TIFF.
    case tiff
    /// HEIC.
    case heic
    /// AVIF.
    case avif

    /// The format of files with this extension; nil if libvips does not read it here.
    init?(fileNameExtension: String) {
      switch fileNameExtension.lowercased() {
      case "jpg", "jpeg": self = .jpeg
      case "tif", "tiff": self = .tiff
      case "heif": self = .heic
      case let other:
        guard let format = Format(rawValue: other) else { return nil }
        self = format
      }
    }
  }

  /// A protection of the kernel that took effect in a helper, `smilepile-pictures` or `smilepile-catalogue`.
  package enum Protection: String, Sendable, CaseIterable {
    /// The helper cannot gain privileges. `PR_SET_NO_NEW_PRIVS`
    case privileges
    /// Other processes of the user cannot read its memory. `PR_SET_DUMPABLE`
    case memory
    /// Its memory is limited to 1 GiB, its descriptors to 64, and it writes no core dump. `smilepile-pictures` writes
    /// no file, `smilepile-catalogue` none of 10 GB or more. setrlimit(2)
    case limits
    /// `smilepile-pictures` opens no file; `smilepile-catalogue` opens only fonts and data for choosing fonts and
    /// breaking lines, for reading. Since Linux 6.7, neither makes a TCP connection. landlock(7)
    case landlock
    /// It computes, uses the descriptors that it has, and starts threads but no process. `smilepile-pictures` opens no
    /// file; `smilepile-catalogue` opens files for reading only. Without this protection, neither works. seccomp(2)
    case seccomp

    /// Returns the protections that the kernel of a helper lacks.
    package static func missing(of hello: HelperProcess.Hello) -> [Protection] {
      allCases.enumerated().filter { hello.protections >> $0.offset & 1 == 0 }.map(\.element)
    }
  }

  /// The version of libvips, as `8.14.1`.
  package let libvips: String
  /// The formats that the helper can draw.
  package let formats: [Format]
  /// The protections that the kernel lacks.
  package let missingProtections: [Protection]

  /// Reads the first message of a helper that can draw.
  init(_ hello: HelperProcess.Hello) {
    let bits = hello.details.number(at: 0) as UInt32
    let version = (1...3).map { hello.details.number(at: 4 * $0) as UInt32 }
    libvips = version.map { "\($0)" }.joined(separator: ".")
    formats = Format.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
    missingProtections = Protection.missing(of: hello)
  }

  /// Identifies the decoders. A photo that they do not draw may be drawn by others.
  package var decoders: String { "\(libvips) \(formats.map(\.rawValue).joined(separator: ","))" }

  /// Returns the fault of a photo in whose file no decoder finds a format: the file is corrupt if the helper can draw
  /// files with its extension.
  package func fault(_ fault: PictureFault, ofFileNamed name: String) -> PictureFault {
    let ending = name.split(separator: ".").last.map(String.init) ?? ""
    guard fault == .unknownFormat, let format = Format(fileNameExtension: ending), formats.contains(format)
    else { return fault }
    return .unreadable
  }

  /// Starts a helper and ends it. Blocks for some tenths of a second; checks `isCancelled` ten times a second.
  ///
  /// - Throws: `HelperError`; `CancellationError`.
  package static func find(isCancelled: () -> Bool = { false }) throws -> PictureSupport {
    try PictureHelper(program: Helper.pictures.find(), isCancelled: isCancelled).support
  }
}
