/// What to draw of a photo: an upright sRGB JPEG without metadata.
package struct PictureRequest: Sendable, Equatable {
  /// The longest side, in pixels. A smaller photo is not enlarged.
  package var box: UInt32
  /// The quality of the JPEG, 1 to 100.
  package var quality: UInt32

  /// The thumbnails of galleries and archives.
  package static let thumbnail = PictureRequest(box: 300, quality: 82)
  /// The pictures that a click in a gallery opens.
  package static let view = PictureRequest(box: 1600, quality: 82)
}
