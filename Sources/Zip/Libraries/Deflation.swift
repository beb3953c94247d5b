import CZLib

/// Deflates data (RFC 1951) with zlib at its fastest level: texts are small compared with photos, and an export waits
/// for them at its end.
struct Deflation: ~Copyable {
  private let stream: UnsafeMutablePointer<z_stream>
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  /// Allocates about 330 KiB; returns nil if there is no memory.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let code = deflateInit2_(
      stream, Z_BEST_SPEED, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { return nil }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// Deflates the next piece, nil at the end, and passes the output to `write` in pieces that are valid only during the
  /// call.
  mutating func deflate(
    _ piece: UnsafeRawBufferPointer?, _ write: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    // zlib counts in 32 bits
    precondition(piece?.count ?? 0 <= UInt32.max)
    // zlib does not write to its input
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: piece?.assumingMemoryBound(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = CUnsignedInt(piece?.count ?? 0)
    repeat {
      stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
      stream.pointee.avail_out = CUnsignedInt(output.count)
      CZLib.deflate(stream, piece == nil ? Z_FINISH : Z_NO_FLUSH)
      let count = output.count - Int(stream.pointee.avail_out)
      if count > 0 { try write(UnsafeRawBufferPointer(rebasing: output[..<count])) }
    } while stream.pointee.avail_out == 0
  }
}
