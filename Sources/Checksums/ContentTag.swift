import CContentTag
import Crypto

/// A keyed hash of a photo's bytes, with the secret key of a library: sixteen bytes.
///
/// Two different photos of equal length have equal tags with a probability of at most 2⁻⁶³, up to 2⁶⁰ bytes, over the
/// choice of the key. So it distinguishes photos that a person made to have equal MD5s, as long as that person does not
/// know the key. Neither archives nor messages contain tags or keys. A tag is no proof against a person who can read or
/// write the library's database.
package struct ContentTag: Hashable, Sendable {
  private let low: UInt64
  private let high: UInt64

  /// Makes a tag of sixteen bytes; returns nil for any other number.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    func word(_ bytes: some Collection<UInt8>) -> UInt64 {
      bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    (low, high) = (word(bytes.prefix(8)), word(bytes.dropFirst(8)))
  }

  /// The sixteen bytes.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) { Array($0) }
  }
}

/// The secret key of a library's content tags.
package final class ContentTagKey: Sendable {
  /// The number of secret bytes from which the key is derived.
  package static let secretLength = 32

  /// The key of the two layers, as `CContentTag` expects it.
  fileprivate let bytes: [UInt8]

  /// Derives the key by HKDF-SHA-256 (RFC 5869). Returns nil unless there are `secretLength` secret bytes.
  package convenience init?(secret: some Collection<UInt8>) {
    guard secret.count == Self.secretLength else { return nil }
    let key = HKDF<SHA256>.expand(
      pseudoRandomKey: Array(secret), info: Array("smilepile content tag".utf8),
      outputByteCount: Int(CONTENT_TAG_KEY))
    self.init(bytes: key.withUnsafeBytes { Array($0) })
  }

  init(bytes: [UInt8]) {
    precondition(bytes.count == Int(CONTENT_TAG_KEY))
    self.bytes = bytes
  }

  /// Returns secret bytes from the system's secure random numbers.
  package static func randomSecret() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<secretLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Returns the tag of bytes.
  package func tag(of bytes: [UInt8]) -> ContentTag {
    var tag = RunningContentTag(self)
    bytes.withUnsafeBytes { tag.update($0) }
    return tag.value
  }
}

/// Computes the tag of a message incrementally, at about fifteen times the speed of MD5.
package struct RunningContentTag: Sendable {
  private let key: ContentTagKey
  private let implementation: ContentTagImplementation
  private var state = smilepile_content_tag()

  /// Starts with no bytes.
  package init(_ key: ContentTagKey) { self.init(key, implementation: .best) }

  init(_ key: ContentTagKey, implementation: ContentTagImplementation) {
    (self.key, self.implementation) = (key, implementation)
    smilepile_content_tag_start(&state)
  }

  /// Adds the next bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    smilepile_content_tag_update(
      implementation.code, &state, key.bytes, start.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  /// The tag of all bytes so far.
  package var value: ContentTag {
    var state = state
    let bytes = [UInt8](unsafeUninitializedCapacity: 16) { tag, count in
      smilepile_content_tag_finish(implementation.code, &state, key.bytes, tag.baseAddress)
      count = 16
    }
    guard let tag = ContentTag(bytes: bytes) else { preconditionFailure("a tag has sixteen bytes") }
    return tag
  }
}

/// The implementations of content tags, by the instructions that they use.
enum ContentTagImplementation: CaseIterable, Sendable {
  /// One word after the other.
  case scalar
  /// Vectors of the architecture's baseline: SSE2 or NEON.
  case base
  /// AVX2.
  case avx2
  /// AVX-512.
  case avx512

  /// The fastest implementation that this processor supports.
  static let best = allCases.first { $0.code == smilepile_content_tag_best_implementation() } ?? .scalar

  /// The implementations that this processor supports.
  static var available: [ContentTagImplementation] {
    allCases.filter { $0.code.rawValue <= best.code.rawValue }
  }

  fileprivate var code: smilepile_content_tag_implementation {
    switch self {
    case .scalar: CONTENT_TAG_SCALAR
    case .base: CONTENT_TAG_BASE
    case .avx2: CONTENT_TAG_AVX2
    case .avx512: CONTENT_TAG_AVX512
    }
  }
}
