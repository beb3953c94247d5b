import CLibZip

/// What libzip 1.7.3 gets wrong where a number is exactly the largest that a record without ZIP64 can
/// hold, put right on its way to the file. The specification (APPNOTE.TXT, 4.4.1.4 and 4.5.3) reserves
/// that value to say "look in the ZIP64 record":
///
/// - A size or an offset of exactly 4,294,967,295 is announced with a ZIP64 field that libzip leaves
///   empty, and libzip lets nobody else set that field. So the entry is given a private field with the
///   right contents, and as the headers pass, the two fields' ids are exchanged: the empty one becomes
///   private, and is ignored by every reader, and the full one becomes the ZIP64 field. (Info-ZIP's unzip
///   6.0 still refuses an entry of exactly that size, whoever wrote it; 7-Zip, bsdtar, Python and libzip
///   read it.)
/// - An encrypted entry is larger than what goes into it. Where its size needs no ZIP64 and the other does, libzip
///   makes room for the one, finds the other, and gives up. `EntryNumbers.needsForcedZip64` says where.
/// - A directory of exactly 65,535 entries, or at exactly that offset, ends without the ZIP64 end record.
///   It is written in front of libzip's.
enum Zip64Boundary {
  private static let zip64ID: UInt16 = 0x0001
  /// Assigned to nobody ("SP" as text).
  private static let privateID: UInt16 = 0x5053

  /// Gives an entry the field that libzip would leave empty. To be called before libzip writes the
  /// entry's local header at `offset`.
  static func addField(
    to archive: OpaquePointer, _ entry: UInt64, _ numbers: EntryNumbers, offset: Int
  ) throws(ArchiveWriteError) {
    let numbers = numbers.directoryField(offset: offset)
    guard !numbers.isEmpty else { return }
    let bytes = numbers.flatMap { littleEndian(UInt64($0)) }
    let result = zip_file_extra_field_set(
      archive, entry, privateID, UInt16.max, bytes, UInt16(bytes.count), UInt32(ZIP_FL_CENTRAL))
    guard result == 0 else { throw ArchiveWriteError(zip_get_error(archive)) }
  }

  /// What to write instead of `bytes`, one write of libzip's outside of any entry's data; nil if they are
  /// right. Field headers come as writes of four bytes of their own, and the end record as one of 22; a
  /// name cannot be taken for either, since these hold zero bytes.
  static func repair(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    switch bytes.count {
    case 4:
      let id = bytes.loadUnaligned(as: UInt16.self).littleEndian
      let size = bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self).littleEndian
      if id == zip64ID && size == 0 { return littleEndian(privateID) + littleEndian(size) }
      if id == privateID && size <= 24 { return littleEndian(zip64ID) + littleEndian(size) }
      return nil
    case 22:
      guard bytes.loadUnaligned(as: UInt32.self).littleEndian == 0x0605_4B50 else { return nil }
      let count = bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self).littleEndian
      let size = bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self).littleEndian
      let offset = bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self).littleEndian
      guard count == .max || offset == .max else { return nil }
      return ArchiveEnd(count: Int(count), size: Int(size), offset: Int(offset)).zip64 + Array(bytes)
    default:
      return nil
    }
  }

  private static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
