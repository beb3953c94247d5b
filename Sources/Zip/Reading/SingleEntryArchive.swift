/// The records of an archive with one entry, for `EntryView`. They always have ZIP64 fields, so that all sizes have the
/// same form. APPNOTE 4.3.7, 4.3.12, 4.3.14 to 4.3.16, 4.5.3.
struct SingleEntryArchive {
  private let entry: Entry
  private let presentation: EntryView.Presentation

  init(_ entry: Entry, _ presentation: EntryView.Presentation) {
    self.entry = entry
    self.presentation = presentation
  }

  /// The local header. libzip uses only its length, to locate the data.
  var head: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(Signature.localHeader)
    bytes.append(UInt16(45))
    appendCommonFields(to: &bytes)
    bytes.append(UInt16(Self.name.count))
    bytes.append(UInt16(0))
    return bytes + Self.name
  }

  /// The directory and the end records, for a directory that begins at `offset`.
  func tail(at offset: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(Signature.directoryRecord)
    bytes.append(UInt16(45))
    bytes.append(UInt16(45))
    appendCommonFields(to: &bytes)
    let extra = extraFields
    bytes.append(UInt16(Self.name.count))
    bytes.append(UInt16(extra.count))
    // comment, disk, internal attributes, external attributes, offset of the local header
    bytes += [UInt8](repeating: 0, count: 14)
    bytes += Self.name + extra
    let size = bytes.count

    let end = ArchiveEnd(count: 1, size: size, offset: offset)
    // libzip reads the ZIP64 records only if the plain one has no offset
    return bytes + end.zip64 + ArchiveEnd(count: 1, size: size, offset: .max).plain
  }

  private static let name = Array("entry".utf8)

  /// Appends the fields from the flags to the sizes, which both headers have.
  private func appendCommonFields(to bytes: inout [UInt8]) {
    // the encryption, and two bits of the method
    bytes.append(entry.flags & 0b111)
    bytes.append(isAES ? 99 : shownMethod)
    bytes.append(entry.dosTime)
    bytes.append(entry.crc32)
    bytes.append(UInt32.max)
    bytes.append(UInt32.max)
  }

  private var shownMethod: UInt16 { presentation == .deflated ? 8 : entry.method }

  private var isAES: Bool {
    if case .aes = entry.encryption { true } else { false }
  }

  private var extraFields: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(UInt16(0x0001))
    bytes.append(UInt16(16))
    // libzip does not compare the size when it decompresses
    bytes.append(presentation == .withoutChecksum ? UInt64(min(entry.size, 19)) : UInt64(entry.size))
    bytes.append(UInt64(entry.compressedSize))
    if case .aes(let keyBits, let hasCRC) = entry.encryption {
      bytes.append(UInt16(0x9901))
      bytes.append(UInt16(7))
      bytes.append(UInt16(hasCRC ? 1 : 2))
      bytes += Array("AE".utf8)
      bytes.append(UInt8(keyBits / 64 - 1))
      bytes.append(shownMethod)
    }
    return bytes
  }
}
