import CLibZip
import CZLib
import SystemPackage

/// Inflates data (RFC 1951) with zlib, which reports where the data ends; libzip does not.
struct Inflation: ~Copyable {
  /// The state of the inflation.
  enum State {
    /// It needs more input or more output space.
    case running
    /// The data ended by itself.
    case ended
    /// The input is not deflated data.
    case broken
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private(set) var state = State.running
  private let shortage: ArchiveError

  /// Allocates up to 44 KiB, a part of it later.
  ///
  /// - Parameter archive: the path of the file with the data.
  /// - Throws: `ArchiveError.libzip` with the code `ZIP_ER_MEMORY` if there is no memory.
  init(from archive: FilePath) throws(ArchiveError) {
    shortage = .libzip(archive, code: ZIP_ER_MEMORY, text: "out of memory")
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard inflateInit2_(stream, -15, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw shortage
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Inflates as much of `input` as fits into `output`, and returns the number of bytes taken and produced. If both are
  /// 0, the data is truncated.
  ///
  /// - Throws: as the initializer.
  mutating func expand(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ArchiveError) -> (taken: Int, produced: Int) {
    let start = input.assumingMemoryBound(to: UInt8.self).baseAddress
    // zlib does not write there
    stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
    stream.pointee.avail_in = CUnsignedInt(input.count)
    stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
    stream.pointee.avail_out = CUnsignedInt(output.count)
    switch inflate(stream, Z_NO_FLUSH) {
    case Z_STREAM_END: state = .ended
    case Z_OK, Z_BUF_ERROR: break
    case Z_MEM_ERROR: throw shortage
    default: state = .broken
    }
    return (input.count - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out))
  }
}
