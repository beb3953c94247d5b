/// The header of a library's database: the first 100 bytes of its first page. Every library has the same values, except for
/// counters. https://www.sqlite.org/fileformat2.html#the_database_header
enum DatabaseHeader {
  static let length = 100
  static let pageSize = 4096

  /// Returns the header with which SQLite opens a damaged database: another one if the header is lost, or one with the
  /// number of pages that are left, since SQLite refuses a truncated database. Returns nil if neither is the case.
  ///
  /// - Parameter start: the first 101 bytes.
  static func replacing(_ start: [UInt8], fileSize: Int) -> [UInt8]? {
    if isLost(of: start) { return bytes(fileSize: fileSize) }
    let pages = fileSize / pageSize
    guard start.count > length, start[16] == UInt8(pageSize >> 8), start[17] == 0,
      number(at: 28, in: start) > pages
    else { return nil }
    var header = Array(start.prefix(length))
    header.replaceSubrange(28..<32, with: number(pages))
    // the number of pages is valid for this change
    header.replaceSubrange(92..<96, with: header[24..<28])
    header.replaceSubrange(18..<20, with: rollbackMode)
    return header
  }

  /// Returns true if these are the first bytes of the database of a library.
  static func isOfLibrary(_ start: [UInt8]) -> Bool {
    start.count >= length && start.starts(with: "SQLite format 3\0".utf8)
      && number(at: 68, in: start) == Schema.library.applicationID
  }

  /// Returns the version of the schema (`PRAGMA user_version`) that the header of a library's database states; nil for other
  /// bytes.
  static func version(in start: [UInt8]) -> Int? { isOfLibrary(start) ? number(at: 60, in: start) : nil }

  private static func number(at offset: Int, in header: [UInt8]) -> Int {
    header[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A database in memory has no log.
  private static let rollbackMode: [UInt8] = [1, 1]

  private static func number(_ value: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(clamping: value).bigEndian) { [UInt8]($0) }
  }

  /// Returns true if a database has lost its header and not the rest of its first page, which is that of a table.
  private static func isLost(of start: [UInt8]) -> Bool {
    // a leaf or an inner page of a table
    start.count > length && !start.starts(with: "SQLite format 3\0".utf8)
      && [0x0D, 0x05].contains(start[length])
  }

  /// Returns the header of a database of this size, without a freelist.
  private static func bytes(fileSize: Int) -> [UInt8] {
    let counter = number(1)
    var bytes = [UInt8]("SQLite format 3\0".utf8)
    // the page size; no reserved bytes; the fractions of payload
    bytes += [UInt8(pageSize >> 8), 0] + rollbackMode + [0, 64, 32, 32]
    bytes += counter + number(fileSize / pageSize)
    // the freelist; the schema's counter and format; the cache size, the largest root page, UTF-8
    bytes += number(0) + number(0) + counter + number(4) + number(0) + number(0) + number(1)
    bytes += number(Int(Schema.library.version)) + number(0) + number(Int(Schema.library.applicationID))
    bytes += [UInt8](repeating: 0, count: 20)
    // the counter for which the number of pages is valid; the version of SQLite
    return bytes + counter + number(3_040_000)
  }
}
