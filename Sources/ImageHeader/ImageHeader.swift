import Foundation

/// The dimensions and the date taken of an image, from its header.
///
/// Only the header is read, and nothing is decoded. Reading ends whatever the bytes are. A file that is damaged or of
/// another kind yields dimensions of zero and no date.
package struct ImageHeader: Sendable, Equatable {
  /// The supported image file formats.
  package enum Format: String, Sendable {
    /// JPEG (ITU-T T.81), with the date from Exif in an APP1 segment (CIPA DC-008).
    case jpeg
    /// PNG, with the date from the eXIf chunk (W3C PNG, third edition).
    case png
    /// GIF 87a and 89a, which have no date.
    case gif
    /// WebP, lossy, lossless and extended, with the date from the EXIF chunk (RFC 9649).
    case webp
    /// HEIC and other HEIF: image items in an ISO base media file (ISO/IEC 14496-12 and 23008-12).
    case heif
    /// AVIF, with such items that are coded as AV1 (AVIF 1.1).
    case avif
  }

  /// The most bytes that one `read` requests in all calls: 1 MiB.
  package static let readLimit = 1 << 20

  /// The format according to the first bytes, whatever the file name is; nil if the format is not supported.
  package var format: Format?

  /// The width in pixels as stored, before rotation or cropping for display; 0 if unknown.
  ///
  /// From the first frame of JPEG (SOF), IHDR of PNG, the logical screen of GIF, the canvas of WebP, and
  /// the extent (ispe) of the primary item of HEIF.
  ///
  /// Width and height are either both known (1 to 4294967295) or both 0.
  package var width: Int

  /// The height in pixels as stored, before rotation or cropping for display; 0 if unknown.
  package var height: Int

  /// The date taken, to the millisecond; nil if the header has no valid date.
  ///
  /// From the Exif tags DateTimeOriginal (0x9003), else DateTimeDigitized (0x9004), else DateTime
  /// (0x0132), each with its own OffsetTime and SubSecTime tag. Years are 1800 to 9999.
  package var taken: Date?

  /// Makes a header. If width or height is not greater than 0, both become 0.
  package init(format: Format? = nil, width: Int = 0, height: Int = 0, taken: Date? = nil) {
    let isSized = width > 0 && height > 0
    self.format = format
    self.width = isSized ? width : 0
    self.height = isSized ? height : 0
    self.taken = taken
  }

  /// Reads the header of an image in small pieces.
  ///
  /// - Parameters:
  ///   - timeZone: the time zone of a date without an offset from UTC.
  ///   - bytes: returns up to `count` (1 to 256) bytes at `offset` (0 to 2^40) from the start of the
  ///     file: fewer at its end, none past it. The counts asked for never exceed `readLimit` in sum.
  /// - Throws: only what `bytes` throws, after which it is not called again.
  package static func read<Failure: Error>(
    timeZone: TimeZone = .current, _ bytes: (_ offset: Int, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> ImageHeader {
    // The parsers treat a failed read as the end of the file, so that they need not throw.
    var failure: Failure?
    let header = withoutActuallyEscaping(bytes) { bytes in
      let reader = ByteReader(limit: readLimit) { offset, count in
        guard failure == nil else { return [] }
        do throws(Failure) {
          return try bytes(offset, count)
        } catch {
          failure = error
          return []
        }
      }
      return parse(Block(file: reader), timeZone: timeZone)
    }
    if let failure { throw failure }
    return header
  }

  private static func parse(_ file: Block, timeZone: TimeZone) -> ImageHeader {
    JPEG.header(of: file, timeZone: timeZone)
      ?? PNG.header(of: file, timeZone: timeZone)
      ?? GIF.header(of: file)
      ?? WebP.header(of: file, timeZone: timeZone)
      ?? ISOMedia.header(of: file, timeZone: timeZone)
      ?? ImageHeader()
  }
}
