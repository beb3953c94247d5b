import TestSupport
import Testing

@testable import Checksums

@Suite struct MultiStreamMD5ReaderTests {
  private struct Broken: Error, Equatable {}

  private final class Source: HashableStream {
    let bytes: [UInt8]
    let failsAt: Int?
    var position = 0
    var digest: MD5Digest?
    var failure: (any Error)?
    let endsAll: Bool

    init(_ bytes: [UInt8], failsAt: Int? = nil, endsAll: Bool = false) {
      (self.bytes, self.failsAt, self.endsAll) = (bytes, failsAt, endsAll)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      if let failsAt, position + buffer.count > failsAt { throw Broken() }
      let count = min(buffer.count, bytes.count - position)
      buffer.copyBytes(from: bytes[position..<position + count])
      position += count
      return count
    }

    func finish(_ digest: MD5Digest) { self.digest = digest }

    func fail(_ error: any Error) throws {
      failure = error
      if endsAll { throw error }
    }
  }

  private static func expected(_ bytes: [UInt8]) -> MD5Digest {
    var hash = RunningMD5()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.digest
  }

  private static func sources(_ count: Int, seed: UInt64, longest: Int) -> [Source] {
    var random = SeededNumbers(seed: seed)
    return (0..<count).map { index in
      let length = index.isMultiple(of: 7) ? 32 << 10 : Int.random(in: 0...longest, using: &random)
      return Source((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) })
    }
  }

  @Test("Multi-stream reader: every stream gets its MD5", arguments: [0, 1, 31, 32, 33, 100])
  func digests(_ count: Int) throws {
    let sources = Self.sources(count, seed: UInt64(count), longest: 100_000)
    var rest = sources[...]
    try MultiStreamMD5Reader.run { rest.popFirst() }
    for source in sources { #expect(source.digest == Self.expected(source.bytes)) }
  }

  @Test("Multi-stream reader: a stream that fails does not affect the others")
  func failure() throws {
    var sources = Self.sources(40, seed: 4, longest: 80_000)
    let broken = Source([UInt8](repeating: 1, count: 200_000), failsAt: 100_000)
    sources.insert(broken, at: 5)
    var rest = sources[...]
    try MultiStreamMD5Reader.run { rest.popFirst() }
    #expect(broken.failure is Broken)
    #expect(broken.digest == nil)
    for source in sources where source !== broken { #expect(source.digest == Self.expected(source.bytes)) }
  }

  @Test("Multi-stream reader: an error of a handler or of the list ends the reading")
  func errors() {
    var rest = [Source([1]), Source([2], failsAt: 0, endsAll: true)][...]
    #expect(throws: Broken.self) { try MultiStreamMD5Reader.run { rest.popFirst() } }
    #expect(throws: Broken.self) { try MultiStreamMD5Reader.run { throw Broken() } }
  }
}
