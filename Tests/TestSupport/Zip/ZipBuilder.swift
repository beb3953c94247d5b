import Zip

/// Writes archives byte by byte. Every field can be overridden, and has its correct value by default.
///
/// ```swift
/// var zip = ZipBuilder([.stored("a.txt", "hello")])
/// zip.members[0].local.crc32 = 0
/// let bytes = zip.bytes
/// ```
package struct ZipBuilder: Sendable {
  /// Bytes before the first local header. Offsets include them if `countsPrefix` is true.
  package var prefix: [UInt8] = []
  /// Whether the offsets in the records include the prefix.
  package var countsPrefix = true
  /// The entries, in the order of their data.
  package var members: [ZipMember]
  /// The order of the directory, as indices of `members`; all of them in order if nil. An index may occur twice.
  package var directoryOrder: [Int]?
  /// Bytes between the data of the last entry and the directory.
  package var beforeDirectory: [UInt8] = []
  /// The ZIP64 end record and its locator; nil for none.
  package var zip64End: Zip64End?
  /// The end record.
  package var end = End()
  /// Bytes after the end record and its comment.
  package var suffix: [UInt8] = []

  /// An archive of these entries.
  package init(_ members: [ZipMember] = []) { self.members = members }

  /// The end record; nil is the correct value. APPNOTE 4.3.16.
  package struct End: Sendable {
    /// The number of this disk.
    package var disk: UInt16 = 0
    /// The disk where the directory begins.
    package var directoryDisk: UInt16 = 0
    /// Entries on this disk.
    package var entriesOnDisk: UInt16?
    /// Entries.
    package var entries: UInt16?
    /// Length of the directory.
    package var directorySize: UInt32?
    /// Where the directory begins.
    package var directoryOffset: UInt32?
    /// Length of the comment.
    package var commentLength: UInt16?
    /// The comment.
    package var comment: [UInt8] = []
  }

  /// The ZIP64 end record and locator; nil is the correct value. APPNOTE 4.3.14, 4.3.15.
  package struct Zip64End: Sendable {
    /// The length in the record.
    package var recordSize: UInt64 = 44
    /// The number of this disk.
    package var disk: UInt32 = 0
    /// Entries on this disk.
    package var entriesOnDisk: UInt64?
    /// Entries.
    package var entries: UInt64?
    /// Length of the directory.
    package var directorySize: UInt64?
    /// Where the directory begins.
    package var directoryOffset: UInt64?
    /// The offset of the record in the locator.
    package var locatedAt: UInt64?
    /// The number of disks in the locator.
    package var disks: UInt32 = 1

    /// A record with correct values.
    package init() {}
  }

  /// The archive.
  package var bytes: [UInt8] {
    var bytes = prefix
    let shift = countsPrefix ? 0 : prefix.count
    var offsets: [Int] = []
    for member in members {
      offsets.append(bytes.count - shift)
      bytes += member.localHeader + member.data + member.afterData
    }
    bytes += beforeDirectory
    let directoryOffset = bytes.count - shift
    let order = directoryOrder ?? Array(members.indices)
    for index in order { bytes += members[index].directoryRecord(offset: offsets[index]) }
    let directorySize = bytes.count - shift - directoryOffset
    if let zip64End {
      let offset = bytes.count - shift
      bytes.append(littleEndian: UInt32(0x0606_4B50))
      bytes.append(littleEndian: zip64End.recordSize)
      bytes.append(littleEndian: UInt16(45))
      bytes.append(littleEndian: UInt16(45))
      bytes.append(littleEndian: zip64End.disk)
      bytes.append(littleEndian: zip64End.disk)
      bytes.append(littleEndian: zip64End.entriesOnDisk ?? zip64End.entries ?? UInt64(order.count))
      bytes.append(littleEndian: zip64End.entries ?? UInt64(order.count))
      bytes.append(littleEndian: zip64End.directorySize ?? UInt64(directorySize))
      bytes.append(littleEndian: zip64End.directoryOffset ?? UInt64(directoryOffset))
      bytes.append(littleEndian: UInt32(0x0706_4B50))
      bytes.append(littleEndian: UInt32(0))
      bytes.append(littleEndian: zip64End.locatedAt ?? UInt64(offset))
      bytes.append(littleEndian: zip64End.disks)
    }
    bytes.append(littleEndian: UInt32(0x0605_4B50))
    bytes.append(littleEndian: end.disk)
    bytes.append(littleEndian: end.directoryDisk)
    bytes.append(littleEndian: end.entriesOnDisk ?? end.entries ?? UInt16(order.count))
    bytes.append(littleEndian: end.entries ?? UInt16(order.count))
    bytes.append(littleEndian: end.directorySize ?? UInt32(directorySize))
    bytes.append(littleEndian: end.directoryOffset ?? UInt32(directoryOffset))
    bytes.append(littleEndian: end.commentLength ?? UInt16(end.comment.count))
    return bytes + end.comment + suffix
  }
}

extension [UInt8] {
  /// Appends a number in the byte order of ZIP.
  package mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// An extra field: its id, its length, its bytes. APPNOTE 4.5.1.
  package static func extraField(_ id: UInt16, _ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: id)
    bytes.append(littleEndian: UInt16(content.count))
    return bytes + content
  }

  /// The ZIP64 field with these values. APPNOTE 4.5.3.
  package static func zip64Field(_ values: UInt64...) -> [UInt8] {
    var content: [UInt8] = []
    for value in values { content.append(littleEndian: value) }
    return extraField(1, content)
  }
}
