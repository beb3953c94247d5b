package import Operations

/// Why a photo has no picture.
package enum PictureFault: String, Error, Sendable, CustomStringConvertible {
  /// No decoder reads the format.
  case unknownFormat
  /// The decoder reports an error.
  case unreadable
  /// The photo has more than 250 megapixels.
  case tooLarge
  /// The photo crashed two helpers.
  case crashed
  /// The photo took longer than 20 seconds.
  case timeLimit

  /// The most pixels of a photo that is drawn.
  package static let mostPixels = 250_000_000

  /// The predicate of a sentence about the photo.
  package var description: String {
    switch self {
    case .unknownFormat: "cannot be drawn: libvips does not read its format"
    case .unreadable: "cannot be drawn: the file is corrupt, or no image"
    case .tooLarge: "cannot be drawn: it has more than 250 megapixels"
    case .crashed: "cannot be drawn: two processes ended while they drew it"
    case .timeLimit: "cannot be drawn: it took longer than 20 seconds"
    }
  }

  /// Adds the finding about a photo: formats that libvips does not read are apart from photos that should have a picture.
  package func report(of label: Finding.Subject, undrawable: inout [Finding], failed: inout [Finding]) {
    let finding = Finding(label, message: "\(label) \(self)")
    if self == .unknownFormat { undrawable.append(finding) } else { failed.append(finding) }
  }
}
