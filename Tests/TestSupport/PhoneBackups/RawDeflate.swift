import CZLib

/// Deflated data (RFC 1951) by zlib, as the phones' ZIP writers write it and their readers expand it.
package enum RawDeflate {
  /// Compresses bytes at zlib's default level, which is that of both apps.
  package static func compress(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    let code = deflateInit2_(
      &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK, "zlib has no memory")
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, CUnsignedLong(bytes.count))))
    let produced = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = CUnsignedInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = CUnsignedInt(output.count)
        precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflateBound was too small")
        return output.count - Int(stream.avail_out)
      }
    }
    return Array(output.prefix(produced))
  }

  /// Expands the deflated data at the start of `bytes`. Returns the content and the number of bytes that the
  /// compressed data takes, nil if the data is damaged or ends early.
  package static func expand(_ bytes: ArraySlice<UInt8>) -> (content: [UInt8], taken: Int)? {
    var stream = z_stream()
    guard inflateInit2_(&stream, -15, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
      return nil
    }
    defer { inflateEnd(&stream) }
    var input = Array(bytes)
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    return input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = CUnsignedInt(input.count)
      while true {
        let (code, produced) = piece.withUnsafeMutableBufferPointer { piece in
          stream.next_out = piece.baseAddress
          stream.avail_out = CUnsignedInt(piece.count)
          let code = inflate(&stream, Z_NO_FLUSH)
          return (code, piece.count - Int(stream.avail_out))
        }
        content += piece.prefix(produced)
        if code == Z_STREAM_END { return (content, input.count - Int(stream.avail_in)) }
        guard code == Z_OK, produced > 0 || stream.avail_in > 0 else { return nil }
      }
    }
  }
}
