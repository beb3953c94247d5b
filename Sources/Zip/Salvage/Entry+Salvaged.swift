import Glibc
import Operations

/// Entries made from what is left of their headers.
extension Entry {
  /// Returns the same entry at other offsets.
  func at(_ headerOffset: Int, dataOffset: Int) -> Entry {
    var copy = self
    (copy.headerOffset, copy.dataOffset) = (headerOffset, dataOffset)
    return copy
  }

  /// Returns the same entry with numbers from elsewhere, since its header may not have them.
  func with(crc32: UInt32, compressedSize: Int, size: Int) -> Entry {
    var copy = self
    (copy.crc32, copy.compressedSize, copy.size) = (crc32, compressedSize, size)
    return copy
  }

  /// Returns true if another entry has the same checksum and sizes.
  func hasNumbers(of other: Entry) -> Bool {
    crc32 == other.crc32 && compressedSize == other.compressedSize && size == other.size
  }

  /// Returns true if another entry has the same data and the same name.
  func isSameData(as other: Entry) -> Bool {
    dataOffset == other.dataOffset && compressedSize == other.compressedSize && size == other.size
      && method == other.method && encryption == other.encryption && name == other.name
  }

  /// The end of the data; `.max` if the sum exceeds the range of an `Int`.
  var dataEnd: Int {
    dataOffset.saturated(plus: compressedSize)
  }

  /// Returns true if its sizes are consistent and within the limits.
  func isPossible(_ limits: Limits) -> Bool {
    0...max(limits.maximumBytes, 0) ~= size && dataEnd < .max && impossibleField == nil
  }

  /// Why it is not taken although its data was found; nil if it is taken. A name is not considered if another name of
  /// the same data is valid.
  var refusal: Salvage.Reason? {
    if let problem = EntryName.problem(of: name) { return .unsafeName(problem) }
    if let kind = salvagedKind { return .notARegularFile(kind) }
    return isReadable ? nil : .unreadable
  }

  /// The kind of special file, if more than one field of a directory record declares it. A single wrong bit makes the
  /// type of a plain file that of a link or a socket. Links have execute permissions, and devices have no data.
  private var salvagedKind: SpecialFile? {
    guard let kind = specialKind else { return nil }
    let isExecutable = externalAttributes >> 16 & 0o111 != 0
    switch kind {
    case .symbolicLink, .directory: return isExecutable ? kind : nil
    default: return size == 0 ? kind : nil
    }
  }

  /// The modification time, from the extra fields, or from the DOS date in local time; nil if there is neither. APPNOTE 4.4.6.
  package var modifiedInLocalTime: Timestamp? {
    if let modified { return modified }
    let (date, time) = (CInt(dosTime >> 16), CInt(dosTime & 0xFFFF))
    guard date >> 5 & 15 >= 1, date >> 5 & 15 <= 12, date & 31 >= 1 else { return nil }
    var parts = tm()
    parts.tm_year = date >> 9 + 80
    parts.tm_mon = date >> 5 & 15 - 1
    parts.tm_mday = date & 31
    parts.tm_hour = time >> 11
    parts.tm_min = time >> 5 & 63
    parts.tm_sec = (time & 31) * 2
    parts.tm_isdst = -1
    return Timestamp(rawValue: Int64(mktime(&parts)) * 1000)
  }
}
