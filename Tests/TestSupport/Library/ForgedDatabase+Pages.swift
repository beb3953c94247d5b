import Foundation
import GRDB
import SystemPackage

/// Changes the pages of a database. https://www.sqlite.org/fileformat2.html
extension ForgedDatabase {
  private static let pageSize = 4096

  /// Makes a tree whose entries all refer to the only page of a table. The table then has its rows 581 times for each
  /// level, in a file with only a few more pages.
  package static func repeatRows(of table: String, levels: Int, in file: FilePath) throws {
    let database = try DatabaseQueue(path: file.string)
    _ = try database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    let root = try database.read {
      try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [table]) ?? 0
    }
    try database.close()
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.string)))
    let place = (root - 1) * pageSize..<root * pageSize
    bytes += bytes[place]
    for _ in 1..<levels { bytes += interiorPage(child: bytes.count / pageSize) }
    bytes.replaceSubrange(place, with: interiorPage(child: bytes.count / pageSize))
    bytes.replaceSubrange(28..<32, with: bigEndian(bytes.count / pageSize))
    // the number of pages is valid for this change
    bytes.replaceSubrange(92..<96, with: bytes[24..<28])
    try Data(bytes).write(to: URL(fileURLWithPath: file.string))
  }

  private static func interiorPage(child: Int) -> [UInt8] {
    let count = 580
    var page = [UInt8](repeating: 0, count: pageSize)
    for index in 0..<count {
      let cell = pageSize - 5 * (index + 1)
      // the child and the greatest rowid in it
      page.replaceSubrange(cell..<cell + 5, with: bigEndian(child) + [1])
      page.replaceSubrange(12 + 2 * index..<14 + 2 * index, with: bigEndian(cell)[2...])
    }
    let header =
      [5, 0, 0] + bigEndian(count)[2...] + bigEndian(pageSize - 5 * count)[2...] + [0] + bigEndian(child)
    page.replaceSubrange(0..<12, with: header)
    return page
  }

  /// Writes the rollback journal of a transaction in several databases. It changes no page and names a super-journal.
  package static func writeJournal(of file: FilePath, naming superJournal: FilePath) throws {
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    let pages = try Data(contentsOf: URL(fileURLWithPath: file.string)).count / pageSize
    var journal =
      magic + bigEndian(0) + bigEndian(0) + bigEndian(pages) + bigEndian(512) + bigEndian(pageSize)
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    let name = [UInt8](superJournal.string.utf8)
    journal += bigEndian((1 << 30) / pageSize + 1) + name + bigEndian(name.count)
    journal += bigEndian(name.reduce(0) { $0 + Int($1) }) + magic
    try Data(journal).write(to: URL(fileURLWithPath: file.string + "-journal"))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(number).bigEndian) { [UInt8]($0) }
  }
}
