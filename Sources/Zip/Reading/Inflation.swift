import CZLib

/// Deflated data (RFC 1951) on its way through zlib, which says where the data ends; libzip does not.
struct Inflation: ~Copyable {
  /// How far it has come.
  enum State {
    /// More input is wanted, or more room for output.
    case running
    /// The data ended by itself.
    case ended
    /// The input is no deflated data.
    case broken
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private(set) var state = State.running

  /// Nil where memory is short; 44 KiB at most.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard inflateInit2_(stream, -15, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
      return nil
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Expands as much of `input` as there is room for in `output`, and says how much of either that was. Where it is
  /// nothing of both, the data is cut off.
  mutating func expand(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> (taken: Int, produced: Int) {
    let start = input.assumingMemoryBound(to: UInt8.self).baseAddress
    // zlib does not write there
    stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
    stream.pointee.avail_in = CUnsignedInt(input.count)
    stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
    stream.pointee.avail_out = CUnsignedInt(output.count)
    switch inflate(stream, Z_NO_FLUSH) {
    case Z_STREAM_END: state = .ended
    case Z_OK, Z_BUF_ERROR: break
    default: state = .broken
    }
    return (input.count - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out))
  }
}
