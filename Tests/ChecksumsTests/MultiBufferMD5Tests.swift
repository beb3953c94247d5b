import Crypto
import TestSupport
import Testing

@testable import Checksums

/// Compares each implementation that this processor supports with swift-crypto.
@Suite struct MultiBufferMD5Tests {
  private static func expected(_ bytes: [UInt8]) -> String {
    Insecure.MD5.hash(data: bytes).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  @Test("MD5: every length around block boundaries", arguments: MD5Implementation.available)
  func lengths(
    _ implementation: MD5Implementation
  ) {
    var random = SeededNumbers(seed: 1)
    for length in 0...260 {
      let bytes = random.bytes(length)
      var hash = MultiBufferMD5()
      bytes.withUnsafeBytes { hash.update($0, implementation: implementation) }
      #expect(hash.digest.description == Self.expected(bytes), "\(length) bytes")
    }
  }

  @Test("MD5: many messages in parallel, in pieces of random lengths", arguments: MD5Implementation.available)
  func randomPieces(
    _ implementation: MD5Implementation
  ) {
    var random = SeededNumbers(seed: 2)
    for round in 0..<150 {
      let messages = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        random.bytes(Int.random(in: 0...700, using: &random))
      }
      var hashes = [MultiBufferMD5](repeating: MultiBufferMD5(), count: messages.count)
      var taken = [Int](repeating: 0, count: messages.count)
      while zip(taken, messages).contains(where: { $0 < $1.count }) {
        let pieces = messages.indices.map { index in
          let count = min(messages[index].count - taken[index], Int.random(in: 0...200, using: &random))
          defer { taken[index] += count }
          return Array(messages[index][taken[index]..<taken[index] + count])
        }
        withBytes(of: pieces) { MultiBufferMD5.update(&hashes, with: $0, implementation: implementation) }
      }
      #expect(hashes.map(\.digest.description) == messages.map(Self.expected), "round \(round)")
    }
  }

  @Test("MD5: the parallel and the incremental digest are equal")
  func sameAsRunning() {
    var random = SeededNumbers(seed: 3)
    let bytes = random.bytes(100_000)
    var running = RunningMD5()
    var lane = MultiBufferMD5()
    bytes.withUnsafeBytes { running.update($0) }
    bytes.withUnsafeBytes { lane.update($0) }
    #expect(lane.digest == running.digest)
  }

  private func withBytes(of pieces: [[UInt8]], _ body: ([UnsafeRawBufferPointer]) -> Void) {
    let buffers = pieces.map { piece in
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
      buffer.copyBytes(from: piece)
      return buffer
    }
    defer { for buffer in buffers { buffer.deallocate() } }
    body(buffers.map { UnsafeRawBufferPointer($0) })
  }
}

extension SeededNumbers {
  fileprivate mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
