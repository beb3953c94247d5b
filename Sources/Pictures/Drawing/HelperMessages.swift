import Processes

/// The messages of the helper, whose layout is in `Sources/smilepile-pictures/protocol.h`.
enum HelperMessages {
  private static let version: UInt16 = 5
  /// The bytes of a reply.
  static let length = 32
  static let packetBytes = 32 << 10
  /// The most bytes of a picture.
  static let mostBytes = 16 << 20

  /// The first message of the helper.
  static let hello = HelperProcess.Hello.Kind(magic: 0x494C_4548, version: version, detailBytes: 16)
  private static let requestMagic: UInt32 = 0x5551_4552
  private static let replyMagic: UInt32 = 0x4C50_4552

  /// The header of a reply.
  struct Reply: Equatable {
    enum Status: UInt16 { case drawn, unknownFormat, unreadable, tooLarge, refused }

    let status: Status
    let width: Int
    let height: Int
    let number: UInt64
    let length: Int
    /// The width of the photo times its height.
    let photoPixels: Int
  }

  /// Returns the message of a request.
  static func request(_ request: PictureRequest, number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: requestMagic)
    bytes.append(number: UInt32(version))
    bytes.append(number: request.box)
    bytes.append(number: request.quality)
    bytes.append(number: number)
    return bytes
  }

  /// Parses the header of a reply; returns nil for anything else, and for a picture that no request can have.
  static func reply(_ bytes: [UInt8], to request: PictureRequest) -> Reply? {
    guard bytes.count == length, bytes.number(at: 0) == replyMagic, bytes.number(at: 4) == version,
      let status = Reply.Status(rawValue: bytes.number(at: 6))
    else { return nil }
    let (width, height) = (bytes.number(at: 8) as UInt32, bytes.number(at: 12) as UInt32)
    let (count, pixels) = (bytes.number(at: 24) as UInt32, bytes.number(at: 28) as UInt32)
    guard count <= mostBytes else { return nil }
    if status == .drawn {
      guard (1...request.box).contains(width), (1...request.box).contains(height),
        count > Fingerprint.messageBytes
      else { return nil }
    }
    return Reply(
      status: status, width: Int(width), height: Int(height), number: bytes.number(at: 16),
      length: Int(count),
      photoPixels: Int(pixels)
    )
  }
}

extension Fingerprint {
  /// The bytes of a fingerprint in a reply.
  static let messageBytes = 24 + lumaCount

  /// Parses the fingerprint at the start of a reply with a picture; nil if the picture has none.
  init?(message bytes: [UInt8]) {
    guard bytes.count >= Self.messageBytes, bytes.number(at: 16) as UInt32 != 0 else { return nil }
    self.init(
      differenceHash: bytes.number(at: 0), frequencyHash: bytes.number(at: 8),
      luma: Array(bytes[24..<Self.messageBytes]))
  }
}
