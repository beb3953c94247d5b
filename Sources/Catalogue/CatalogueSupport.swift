package import Pictures
import Processes

/// What writes catalogues on this machine.
package struct CatalogueSupport: Sendable, Equatable {
  /// The version of cairo, as `1.16.0`.
  package let cairo: String
  /// The version of Pango, as `1.50.12`.
  package let pango: String
  /// The protections that the kernel lacks.
  package let missingProtections: [PictureSupport.Protection]

  /// Starts the program and ends it. Blocks for some tenths of a second.
  ///
  /// - Throws: `HelperError`.
  package static func find() throws -> CatalogueSupport { try CatalogueHelper().support }

  /// Reads the first message of a program that can write catalogues.
  init(_ hello: HelperProcess.Hello) {
    missingProtections = PictureSupport.Protection.missing(of: hello)
    (cairo, pango) = (
      Self.version(hello.details.number(at: 0)), Self.version(hello.details.number(at: 4))
    )
  }

  /// Returns `1.16.0` for 11600.
  private static func version(_ number: UInt32) -> String {
    "\(number / 10000).\(number / 100 % 100).\(number % 100)"
  }
}
