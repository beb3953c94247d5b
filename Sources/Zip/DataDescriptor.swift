import SystemPackage

/// What may stand between the data of an entry and the next record: the descriptor of an entry that was
/// written before its sizes were known, and zeros that move the next entry to a round place. APPNOTE 4.3.9.
///
/// Programs that read an archive forward take what stands there for the truth, or for an entry that the
/// directory does not have. So a descriptor that contradicts the directory is refused, and so is anything else.
struct DataDescriptor {
  /// Zeros of more than this many bytes are more than any alignment needs.
  static let maximumGap = 64 << 10

  /// Whether the local header promises one.
  var isPromised: Bool
  /// Whether the local header has left something to it. Some programs set the flag, and have said everything.
  var isNeeded: Bool

  /// Whether `gap` is what has to follow the entry's data. Some programs leave the mark out, and the sizes
  /// have eight bytes each under ZIP64; no length tells these forms apart, so each is tried.
  func fits(_ gap: UnsafeRawBufferPointer, after entry: Entry) -> Bool {
    guard isPromised else { return gap.isZero }
    if !isNeeded, gap.isZero { return true }
    for form in Self.forms where gap.count >= form.length {
      let values = gap.slice(form.length - form.width * 2 - 4, form.width * 2 + 4)
      guard !form.hasMark || gap.u32(0) == Signature.descriptor else { continue }
      guard values.u32(0) == entry.crc32,
        values.size(4, form.width) == entry.compressedSize,
        values.size(4 + form.width, form.width) == entry.size
      else { continue }
      return gap.slice(form.length, gap.count - form.length).isZero
    }
    return false
  }

  private struct Form {
    var hasMark: Bool
    /// Of a size, in bytes.
    var width: Int
    var length: Int { (hasMark ? 8 : 4) + width * 2 }
  }

  private static let forms = [
    Form(hasMark: true, width: 4), Form(hasMark: true, width: 8), Form(hasMark: false, width: 4),
    Form(hasMark: false, width: 8),
  ]
}

extension UnsafeRawBufferPointer {
  var isZero: Bool { allSatisfy { $0 == 0 } }

  /// A size of four or eight bytes, nil if no file can have it.
  fileprivate func size(_ offset: Int, _ width: Int) -> Int? {
    width == 4 ? Int(u32(offset)) : Int(exactly: u64(offset))
  }
}
