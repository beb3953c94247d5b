import CMD5

/// The MD5 of one of several messages that are hashed in parallel, each in a lane of the processor's vector registers.
/// RFC 1321. A single message is as fast as a `RunningMD5`; eight together are about six times as fast.
package struct MultiBufferMD5: Sendable {
  /// The number of messages that are hashed in parallel. Of more messages, the others follow when lanes become free.
  package static let lanes = Int(SMILEPILE_MD5_LANES)

  fileprivate var words = SIMD4<UInt32>(0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476)
  private var length = 0
  /// The bytes after the last complete block.
  private var rest = SIMD64<UInt8>()
  private var restCount: Int { length & 63 }

  /// Starts with no bytes.
  package init() {}

  /// The MD5 of all bytes so far.
  package var digest: MD5Digest {
    // padding: a one bit, zeros up to the last eight bytes of a block, and the length in bits
    var last = self
    let zeros = [UInt8](repeating: 0, count: (119 - restCount) & 63)
    let bits = UInt64(truncatingIfNeeded: length) &* 8
    let ending = [0x80] + zeros + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    ending.withUnsafeBytes { last.update($0) }
    return MD5Digest(words: last.words)
  }

  /// Adds the next bytes of this message only.
  mutating func update(_ bytes: UnsafeRawBufferPointer, implementation: MD5Implementation = .best) {
    withUnsafeMutablePointer(to: &self) {
      Self.update(
        UnsafeMutableBufferPointer(start: $0, count: 1), with: [bytes], implementation: implementation)
    }
  }

  /// Adds the next bytes of each message: `pieces[i]` to `messages[i]`. An empty piece changes nothing.
  package static func update(_ messages: inout [MultiBufferMD5], with pieces: [UnsafeRawBufferPointer]) {
    update(&messages, with: pieces, implementation: .best)
  }

  /// Does the same with an implementation that this processor supports.
  static func update(
    _ messages: inout [MultiBufferMD5], with pieces: [UnsafeRawBufferPointer],
    implementation: MD5Implementation
  ) {
    precondition(pieces.count <= messages.count)
    messages.withUnsafeMutableBufferPointer { update($0, with: pieces, implementation: implementation) }
  }

  private static func update(
    _ messages: UnsafeMutableBufferPointer<MultiBufferMD5>, with pieces: [UnsafeRawBufferPointer],
    implementation: MD5Implementation
  ) {
    var lanes = Lanes()
    for (index, piece) in pieces.enumerated() {
      let blocks = messages[index].absorbPartialBlocks(of: piece)
      guard let start = blocks.baseAddress, blocks.count > 0 else { continue }
      guard let message = messages.baseAddress.map({ $0 + index }) else { return }
      if lanes.count == Self.lanes { lanes.hashBlocks(implementation) }
      lanes.add(words(of: message), start, blocks: blocks.count / 64)
    }
    while lanes.count > 0 { lanes.hashBlocks(implementation) }
  }

  /// Returns the address of the state in a message.
  private static func words(of message: UnsafeMutablePointer<MultiBufferMD5>) -> UnsafeMutablePointer<UInt32>
  {
    let offset = MemoryLayout<MultiBufferMD5>.offset(of: \.words) ?? 0
    return (UnsafeMutableRawPointer(message) + offset).assumingMemoryBound(to: UInt32.self)
  }

  /// Completes the pending block, keeps the bytes after the last complete block, and returns the complete blocks
  /// between them.
  private mutating func absorbPartialBlocks(of piece: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let begun = restCount
    let head = begun == 0 ? 0 : min(64 - begun, piece.count)
    let tail = (piece.count - head) & 63
    withUnsafeMutableBytes(of: &rest) { rest in
      rest[begun..<begun + head].copyBytes(from: piece[..<head])
    }
    length += piece.count
    if head > 0, begun + head == 64 {
      var block = rest
      withUnsafeBytes(of: &block) { block in
        withUnsafeMutablePointer(to: &self) { message in
          var lane = Lanes()
          if let start = block.baseAddress { lane.add(Self.words(of: message), start, blocks: 1) }
          lane.hashBlocks(.scalar)
        }
      }
    }
    if tail > 0 {
      withUnsafeMutableBytes(of: &rest) { $0.copyBytes(from: piece[(piece.count - tail)...]) }
    }
    return UnsafeRawBufferPointer(rebasing: piece[head..<piece.count - tail])
  }
}

/// The implementations of MD5, by the instructions that they use.
enum MD5Implementation: CaseIterable, Sendable {
  /// One message after the other.
  case scalar
  /// Vectors of the architecture's baseline: SSE2 or NEON.
  case base
  /// AVX2.
  case avx2
  /// AVX-512.
  case avx512

  /// The fastest implementation that this processor supports.
  static let best = allCases.first { $0.code == smilepile_md5_best_implementation() } ?? .scalar

  /// The implementations that this processor supports.
  static var available: [MD5Implementation] { allCases.filter { $0.code.rawValue <= best.code.rawValue } }

  fileprivate var code: smilepile_md5_implementation {
    switch self {
    case .scalar: SMILEPILE_MD5_SCALAR
    case .base: SMILEPILE_MD5_BASE
    case .avx2: SMILEPILE_MD5_AVX2
    case .avx512: SMILEPILE_MD5_AVX512
    }
  }
}

/// The active lanes: the complete blocks that remain to be added to the state of each message.
private struct Lanes {
  private var states: [UnsafeMutablePointer<UInt32>?] = []
  private var data: [UnsafePointer<UInt8>?] = []
  private var blocks: [Int] = []

  var count: Int { blocks.count }

  init() {
    states.reserveCapacity(MultiBufferMD5.lanes)
    data.reserveCapacity(MultiBufferMD5.lanes)
    blocks.reserveCapacity(MultiBufferMD5.lanes)
  }

  mutating func add(_ state: UnsafeMutablePointer<UInt32>, _ bytes: UnsafeRawPointer, blocks count: Int) {
    states.append(state)
    data.append(bytes.assumingMemoryBound(to: UInt8.self))
    blocks.append(count)
  }

  /// Hashes as many blocks of every lane as the shortest one has, which frees at least one lane.
  mutating func hashBlocks(_ implementation: MD5Implementation) {
    guard let number = blocks.min() else { return }
    smilepile_md5_blocks(implementation.code, count, states, data, number)
    var kept = 0
    for lane in blocks.indices where blocks[lane] > number {
      states[kept] = states[lane]
      data[kept] = data[lane].map { $0 + 64 * number }
      blocks[kept] = blocks[lane] - number
      kept += 1
    }
    states.removeLast(count - kept)
    data.removeLast(data.count - kept)
    blocks.removeLast(blocks.count - kept)
  }
}
