/// An entry that was found.
struct EntryCandidate {
  var entry: Entry
  var isProven: Bool
  /// Other names that a directory gives to the same data.
  var otherNames: [Entry] = []
}

/// An entry whose data was not found, and the bytes that belonged to it.
struct LostEntry {
  var name: String?
  var rawName: [UInt8]
  var reason: Salvage.Reason
  /// The CRC-32s that the records declare; nil among them if one declares none.
  var crc32s: Set<UInt32?>
  /// The offset of the local header.
  var start: Int
  /// Where the data begins; nil if there is no header.
  var dataOffset: Int?
  /// The declared end of the data; nil if no record declares one.
  var end: Int?
  /// False for an entry of which only a directory record is left.
  var hasHeader = true
  /// False if the file ends before its header, so that it leaves no bytes.
  var leavesBytes = true
}

/// What identifies an entry in a directory.
struct EntryKey: Hashable {
  var rawName: [UInt8]
  var crc32: UInt32
  var compressedSize: Int

  init(_ entry: Entry) {
    (rawName, crc32, compressedSize) = (entry.rawName, entry.crc32, entry.compressedSize)
  }
}

extension [Range<Int>] {
  /// Returns true if a range contains a position. The ranges are in order and do not overlap.
  func containsInSome(_ position: Int) -> Bool {
    let index = endOfPrefix { $0.upperBound <= position }
    return index < count && self[index].lowerBound <= position
  }
}

extension Array {
  /// Returns the index of the first element that does not belong to the prefix, in logarithmic time.
  func endOfPrefix(_ isInPrefix: (Element) -> Bool) -> Int {
    var part = 0..<count
    while !part.isEmpty {
      let middle = (part.lowerBound + part.upperBound) / 2
      part = isInPrefix(self[middle]) ? middle + 1..<part.upperBound : part.lowerBound..<middle
    }
    return part.lowerBound
  }
}
