import CLibZip

/// Corrects errors of libzip 1.7.3 while the archive is written. They concern numbers that equal the greatest value of
/// a field without ZIP64, which the specification (APPNOTE 4.4.1.4 and 4.5.3) reserves for references to the ZIP64
/// record:
///
/// - For a size or an offset of exactly 4,294,967,295, libzip writes an empty ZIP64 field, and does not let the caller
///   set that field. The entry gets a private field with the right contents instead. When libzip writes the two fields,
///   their IDs are exchanged: the empty field becomes the private one, which readers ignore, and the full field becomes
///   the ZIP64 field. (Info-ZIP's unzip 6.0 refuses every entry of exactly that size; 7-Zip, bsdtar,
///   Python and libzip read it.)
/// - An encrypted entry is larger than its contents. If only the encrypted size needs ZIP64, libzip reserves no space
///   for the field and fails when it needs the space. `EntryNumbers.needsForcedZip64` detects this.
/// - For a directory of exactly 65,535 entries, or at exactly that offset, libzip omits the ZIP64 end record. It is
///   written before libzip's end record.
enum Zip64Boundary {
  private static let zip64ID: UInt16 = 0x0001
  /// An ID that APPNOTE does not assign (“SP” in ASCII).
  private static let privateID: UInt16 = 0x5053

  /// Adds a private field with the contents of the ZIP64 field that libzip would leave empty. Must be called before
  /// libzip writes the entry's local header at `offset`.
  static func addField(
    to archive: OpaquePointer, _ entry: UInt64, _ numbers: EntryNumbers, offset: Int
  ) throws(ArchiveWriteError) {
    let numbers = numbers.directoryField(offset: offset)
    guard !numbers.isEmpty else { return }
    var bytes: [UInt8] = []
    for number in numbers { bytes.append(UInt64(number)) }
    let result = zip_file_extra_field_set(
      archive, entry, privateID, UInt16.max, bytes, UInt16(bytes.count), UInt32(ZIP_FL_CENTRAL))
    guard result == 0 else { throw ArchiveWriteError(zip_get_error(archive)) }
  }

  /// Returns what to write instead of `bytes`, one write of libzip outside of entry data; nil if they are correct.
  /// libzip writes the header of a field as four bytes, and the end record as 22. A name is not mistaken for either,
  /// since both contain zero bytes.
  static func correct(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    switch bytes.count {
    case 4:
      let (id, size) = (bytes.u16(0), bytes.u16(2))
      let isEmpty = id == zip64ID && size == 0
      guard isEmpty || id == privateID && size <= 24 else { return nil }
      var header: [UInt8] = []
      header.append(isEmpty ? privateID : zip64ID)
      header.append(size)
      return header
    case RecordLength.end:
      guard bytes.u32(0) == Signature.end else { return nil }
      let (count, size, offset) = (bytes.u16(10), bytes.u32(12), bytes.u32(16))
      guard count == .max || offset == .max else { return nil }
      return ArchiveEnd(count: Int(count), size: Int(size), offset: Int(offset)).zip64 + Array(bytes)
    default:
      return nil
    }
  }
}
