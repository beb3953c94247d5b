import CMD5

/// The MD5 of one of several messages that are hashed side by side, in the lanes of the processor's vectors; RFC 1321.
/// A message by itself is as fast as a `RunningMD5`, eight are some six times as fast together.
package struct MultiBufferMD5: Sendable {
  /// Messages that are hashed at a time; more take turns.
  package static let lanes = Int(SMILEPILE_MD5_LANES)

  fileprivate var words = SIMD4<UInt32>(0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476)
  private var length = 0
  /// The bytes after the last whole block.
  private var rest = SIMD64<UInt8>()
  private var restCount: Int { length & 63 }

  /// Of nothing yet.
  package init() {}

  /// The MD5 of all bytes so far.
  package var digest: MD5Digest {
    // a one, zeros to the end of a block but eight bytes, and the length in bits
    var last = self
    let zeros = [UInt8](repeating: 0, count: (119 - restCount) & 63)
    let bits = UInt64(truncatingIfNeeded: length) &* 8
    let ending = [0x80] + zeros + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    ending.withUnsafeBytes { last.update($0) }
    return MD5Digest(words: last.words)
  }

  /// Takes the next bytes of this message alone.
  mutating func update(_ bytes: UnsafeRawBufferPointer, way: MD5Implementation = .best) {
    withUnsafeMutablePointer(to: &self) {
      Self.update(UnsafeMutableBufferPointer(start: $0, count: 1), with: [bytes], way: way)
    }
  }

  /// Takes the next bytes of each message, `pieces[i]` into `messages[i]`; an empty piece changes nothing.
  package static func update(_ messages: inout [MultiBufferMD5], with pieces: [UnsafeRawBufferPointer]) {
    update(&messages, with: pieces, way: .best)
  }

  /// The same in a way that this processor has.
  static func update(_ messages: inout [MultiBufferMD5], with pieces: [UnsafeRawBufferPointer], way: MD5Implementation) {
    precondition(pieces.count <= messages.count)
    messages.withUnsafeMutableBufferPointer { update($0, with: pieces, way: way) }
  }

  private static func update(
    _ messages: UnsafeMutableBufferPointer<MultiBufferMD5>, with pieces: [UnsafeRawBufferPointer], way: MD5Implementation
  ) {
    var lanes = Lanes()
    for (index, piece) in pieces.enumerated() {
      let blocks = messages[index].takeEnds(of: piece)
      guard let start = blocks.baseAddress, blocks.count > 0 else { continue }
      guard let message = messages.baseAddress.map({ $0 + index }) else { return }
      if lanes.count == Self.lanes { lanes.takeBlocks(way) }
      lanes.add(words(of: message), start, blocks: blocks.count / 64)
    }
    while lanes.count > 0 { lanes.takeBlocks(way) }
  }

  /// The state inside of a message.
  private static func words(of message: UnsafeMutablePointer<MultiBufferMD5>) -> UnsafeMutablePointer<UInt32> {
    let offset = MemoryLayout<MultiBufferMD5>.offset(of: \.words) ?? 0
    return (UnsafeMutableRawPointer(message) + offset).assumingMemoryBound(to: UInt32.self)
  }

  /// Completes the block that has begun, keeps what comes after the last whole block, and returns the whole blocks
  /// between the two.
  private mutating func takeEnds(of piece: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
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
          lane.takeBlocks(.scalar)
        }
      }
    }
    if tail > 0 {
      withUnsafeMutableBytes(of: &rest) { $0.copyBytes(from: piece[(piece.count - tail)...]) }
    }
    return UnsafeRawBufferPointer(rebasing: piece[head..<piece.count - tail])
  }
}

/// What of the processor is used.
enum MD5Implementation: CaseIterable, Sendable {
  /// One message after the other.
  case scalar
  /// What every processor of this kind has.
  case base
  /// AVX2.
  case avx2
  /// AVX-512.
  case avx512

  /// The fastest that this processor has.
  static let best = allCases.first { $0.code == smilepile_md5_best_implementation() } ?? .scalar

  /// Those that this processor has.
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

/// The lanes that are live: whole blocks that are still to be taken into a state each.
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

  /// Takes as many blocks of every lane as the shortest has, which frees at least one.
  mutating func takeBlocks(_ way: MD5Implementation) {
    guard let number = blocks.min() else { return }
    smilepile_md5_blocks(way.code, count, states, data, number)
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
