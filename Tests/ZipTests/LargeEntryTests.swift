import Checksums
import FileSystem
import Testing

@testable import Zip

/// The boundary of ZIP64 for archives that are written without libzip.
struct LargeEntryTests {
  private static let limit = 0xFFFF_FFFF

  /// Zeros.
  private final class Zeros: StoredContents {
    private let sizes: [Int]
    private var entry = 0
    private var given = 0
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)

    init(_ sizes: [Int]) {
      self.sizes = sizes
      piece.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { piece.deallocate() }

    func next() -> [StoredPiece]? {
      guard entry < sizes.count else { return nil }
      let count = min(sizes[entry] - given, piece.count)
      given += count
      let isLast = given == sizes[entry]
      defer { if isLast { (entry, given) = (entry + 1, 0) } }
      return [
        StoredPiece(entry: entry, UnsafeRawBufferPointer(rebasing: piece[..<count]), isLast: isLast)
      ]
    }
  }

  @Test("ZIP64: entries around 4 GiB are written and read", arguments: [limit - 1, limit, limit + 1])
  func size(_ size: Int) throws {
    let scratch = try WriterScratch()
    var writer = try ArchiveWriter()
    try writer.addStored("large", size: size, modified: 0)
    // begins at the limit or beyond it
    try writer.addStored("small", size: 3, modified: 0)
    try writer.addText("t", modified: 0) { try [UInt8(1)].withUnsafeBytes($0) }
    let end = try writer.write(to: scratch.file, stored: Zeros([size, 3]))
    let archive = try Archive(path: scratch.path)
    #expect(archive.entries.map(\.size) == [size, 3, 1])
    #expect(archive.entries.map(\.compressedSize).prefix(2) == [size, 3])
    #expect(archive.entries[0].crc32 == (try checksum(ofZeros: size)))
    let isLarge = size >= Self.limit
    #expect(archive.entries[0].dataOffset == 35 + (isLarge ? 20 : 0))
    var reader = try EntryReader(archive)
    #expect(try reader.bytes(of: archive.entries[1], limit: 3) == [0, 0, 0])
    #expect(try reader.bytes(of: archive.entries[2], limit: 3) == [1])
    #expect(try scratch.file.status().size == end)
  }

  @Test("ZIP64: a header and a directory at the offset of the limit are written and read")
  func offset() throws {
    let scratch = try WriterScratch()
    for sizes in [[Self.limit - 31, 3], [Self.limit - 31 - 34, 3]] {
      var writer = try ArchiveWriter()
      for (index, size) in sizes.enumerated() { try writer.addStored("\(index)", size: size, modified: 0) }
      _ = try writer.write(to: scratch.file, stored: Zeros(sizes))
      let archive = try Archive(path: scratch.path)
      #expect(archive.entries.map(\.size) == sizes)
      #expect(archive.entries[1].headerOffset == sizes[0] + 31)
    }
  }

  private func checksum(ofZeros count: Int) throws -> UInt32 {
    let zeros = Zeros([count])
    var checksum = CRC32()
    while let pieces = zeros.next() { for piece in pieces { checksum.update(piece.bytes) } }
    return checksum.value
  }
}
