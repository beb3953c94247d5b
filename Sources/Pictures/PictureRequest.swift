/// What to draw of a photo.
package struct PictureRequest: Sendable, Equatable {
  /// The kind of picture.
  package enum Job: UInt16, Sendable {
    /// An upright sRGB JPEG without metadata.
    case thumbnail = 1
  }

  /// The kind of picture.
  package var job = Job.thumbnail
  /// The longest side, in pixels. A smaller photo is not enlarged.
  package var box: UInt32
  /// The quality of the JPEG, 1 to 100.
  package var quality: UInt32

  /// The thumbnails of galleries and archives.
  package static let thumbnail = PictureRequest(box: 300, quality: 82)
  /// The pictures that a click in a gallery opens.
  package static let view = PictureRequest(box: 1600, quality: 82)
}

/// A picture of a photo.
package struct Picture: Sendable, Equatable {
  /// The width in pixels.
  package var width: Int
  /// The height in pixels.
  package var height: Int
  /// The bytes of a JPEG.
  package var jpeg: [UInt8]
  /// What similar pictures are found by; nil if the picture is flat.
  package var fingerprint: Fingerprint?
  /// When the photo was taken, according to its header; nil if the header does not tell. See `CaptureTime`.
  package var captured: CaptureTime?

  /// Describes a picture.
  package init(
    width: Int, height: Int, jpeg: [UInt8], fingerprint: Fingerprint? = nil, captured: CaptureTime? = nil
  ) {
    (self.width, self.height, self.jpeg) = (width, height, jpeg)
    (self.fingerprint, self.captured) = (fingerprint, captured)
  }
}

/// The size of a picture.
package struct PictureSize: Sendable, Equatable {
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int
  /// The length of the JPEG in bytes.
  package let bytes: Int

  /// Describes a size.
  package init(width: Int, height: Int, bytes: Int) {
    (self.width, self.height, self.bytes) = (width, height, bytes)
  }
}

/// Why a photo has no picture.
public enum PictureFault: String, Error, Sendable, CustomStringConvertible {
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
  public var description: String {
    switch self {
    case .unknownFormat: "cannot be drawn: libvips does not read its format"
    case .unreadable: "cannot be drawn: the file is corrupt, or no image"
    case .tooLarge: "cannot be drawn: it has more than 250 megapixels"
    case .crashed: "cannot be drawn: it crashed the decoder twice"
    case .timeLimit: "cannot be drawn: it took longer than 20 seconds"
    }
  }
}
