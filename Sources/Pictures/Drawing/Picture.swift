package import ImageHeader
package import Operations

/// A picture of a photo.
package struct Picture: Sendable, Equatable {
  /// The width in pixels.
  package var width: Int
  /// The height in pixels.
  package var height: Int
  /// The bytes of a JPEG.
  package var jpeg: [UInt8]
  /// The width of the photo times its height, as it was decoded.
  package var photoPixels: Int
  /// The fingerprint that finds similar pictures; nil if the picture is flat.
  package var fingerprint: Fingerprint?
  /// The format of the photo; nil if `ImageHeader` does not know it, as for TIFF.
  package var format: ImageHeader.Format?
  /// When the photo was taken, according to its header, as if the camera's clock showed UTC unless the header
  /// states the offset; nil if the header has no time.
  package var captured: Timestamp?

  /// Describes a picture.
  package init(
    width: Int, height: Int, jpeg: [UInt8], photoPixels: Int = 0, format: ImageHeader.Format? = nil,
    fingerprint: Fingerprint? = nil, captured: Timestamp? = nil
  ) {
    (self.width, self.height, self.jpeg, self.format) = (width, height, jpeg, format)
    (self.photoPixels, self.fingerprint, self.captured) = (photoPixels, fingerprint, captured)
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

extension Picture {
  /// The picture without its bytes.
  var withoutThumbnail: Picture {
    var copy = self
    copy.jpeg = []
    return copy
  }
}
