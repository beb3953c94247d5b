/// The two sizes of an entry that is to be written, and which of them libzip 1.7.3 does not put where they belong.
struct EntryNumbers: Equatable {
  /// Bytes of the contents.
  var size: Int
  /// Bytes in the archive; 0 where they are not known ahead.
  var compressedSize: Int

  init(size: Int, compressedSize: Int) {
    self.size = size
    self.compressedSize = compressedSize
  }

  /// Those of an entry that is stored and encrypted.
  init(encrypting size: Int) { self.init(size: size, compressedSize: size + Self.encryptionOverhead) }

  /// What WinZip's AES with keys of 256 bits adds: salt (16), check value (2) and authentication code (10).
  static let encryptionOverhead = 28

  private static let limit = EntryRecord.limit

  /// libzip decides by the size alone whether the first local header gets a ZIP64 field, and by both for the last
  /// one, which stands in the same place: so it has to be told where the two differ. Also where the size is the
  /// limit itself, for which the first field would be empty and the last one not.
  var needsForcedZip64: Bool {
    compressedSize != size && size <= Self.limit && compressedSize >= Self.limit
  }

  /// What libzip leaves out of the ZIP64 field of the directory: each number that is the limit itself, unless one is
  /// beyond it, for then libzip fills the field in.
  func directoryField(offset: Int) -> [Int] {
    let numbers = [size, compressedSize, offset]
    return numbers.allSatisfy { $0 <= Self.limit } ? numbers.filter { $0 == Self.limit } : []
  }
}
