/// The two sizes of an entry to write. Determines which of them libzip 1.7.3 does not write correctly.
struct EntryNumbers: Equatable {
  /// Bytes of the contents.
  var size: Int
  /// Bytes in the archive; 0 if they are not known in advance.
  var compressedSize: Int

  /// The bytes that WinZip's AES-256 adds: salt (16), check value (2) and authentication code (10).
  static let encryptionOverhead = 28

  private static let limit = ExtraFields.zip64Limit

  /// True if libzip must be forced to use ZIP64 in the local header.
  ///
  /// libzip writes the local header twice at the same offset. It decides whether the first one has a ZIP64 field by the
  /// size, and whether the final one has it by both sizes, so the two can differ. They also differ if the size equals
  /// the limit: then the field is empty in the first one only.
  var needsForcedZip64: Bool {
    compressedSize != size && size <= Self.limit && compressedSize >= Self.limit
  }

  /// Returns the numbers that libzip omits from the ZIP64 field of the directory: those that equal the limit, unless
  /// one is greater, for then libzip writes the field.
  func directoryField(offset: Int) -> [Int] {
    let numbers = [size, compressedSize, offset]
    return numbers.allSatisfy { $0 <= Self.limit } ? numbers.filter { $0 == Self.limit } : []
  }
}

extension EntryNumbers {
  /// Makes the sizes of an entry that is stored and encrypted.
  init(encrypting size: Int) { self.init(size: size, compressedSize: size + Self.encryptionOverhead) }
}
