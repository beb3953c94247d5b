import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// The rows of a damaged database: a corrupt page loses only its own rows.
@Suite struct SalvagedRowsTests {
  private let library: SampleLibrary
  private var database: FilePath { library.path.appending("library.sqlite") }
  private static let page = 4096

  init() throws {
    library = try SampleLibrary(
      (1...400).map { id in
        .init(
          id: id * 3, category: id % 2 + 1, name: "photo \(id) with a long name", fileName: "IMG_\(id).jpg",
          bytes: Array("photo \(id)".utf8))
      }, categories: [.sample(1, "family"), .sample(2, "cars")])
  }

  private func rows() throws -> SalvagedRows {
    try LostLibrary(path: library.path, isReadOnly: true).salvagedRows()
  }

  private func zero(_ pages: [Int]) throws {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database.string)))
    for page in pages {
      bytes.replaceSubrange(
        (page - 1) * Self.page..<page * Self.page, with: Array(repeating: 0, count: Self.page))
    }
    try Data(bytes).write(to: URL(fileURLWithPath: database.string))
  }

  /// Returns leaf pages of the table of photos, found by the names in them.
  private func leavesOfPhotos() throws -> [Int] {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database.string)))
    return stride(from: 0, to: bytes.count, by: Self.page).compactMap { start in
      let page = bytes[start..<min(start + Self.page, bytes.count)]
      // 13 is a leaf of a table: https://www.sqlite.org/fileformat2.html, 1.6
      return page.first == 13 && page.firstRange(of: "with a long name".utf8) != nil
        ? start / Self.page + 1 : nil
    }
  }

  @Test("Salvaged rows: all rows of a database with an unknown index are read")
  func allRows() throws {
    let contents = try library.contents
    try ForgedDatabase.execute("CREATE INDEX odd ON photo(name)", in: database)
    let rows = try rows()
    #expect(rows.photos == contents.photos)
    #expect(rows.categories == contents.categories)
    #expect(rows.settings == contents.settings)
    #expect(rows.hasAllPhotos)
    #expect(rows.hasAllCategories)
    #expect(rows.libraryID != nil)
  }

  @Test("Salvaged rows: every third corrupt page loses only its rows")
  func corruptPages() throws {
    let leaves = try leavesOfPhotos()
    try #require(leaves.count > 6)
    let corrupt = leaves.enumerated().filter { $0.offset % 3 == 1 }.map(\.element)
    try zero(corrupt)
    let rows = try rows()
    #expect(!rows.hasAllPhotos)
    let share = Double(rows.photos.count) / 400
    #expect(share > 0.5)
    #expect(share < 0.8)
    #expect(rows.photos.map(\.id) == rows.photos.map(\.id).sorted())
    #expect(rows.photos.allSatisfy { $0.name == "photo \($0.id / 3) with a long name" })
    #expect(rows.categories.count == 2)
  }

  @Test("Salvaged rows: the first and the last page of a table may be corrupt", arguments: [true, false])
  func corruptEnd(isFirst: Bool) throws {
    let leaves = try leavesOfPhotos()
    let corrupt = try #require(isFirst ? leaves.first : leaves.last)
    try zero([corrupt])
    let rows = try rows()
    #expect(!rows.hasAllPhotos)
    #expect(rows.photos.count > 300)
  }

  @Test("Salvaged rows: a truncated database gives the rows of its other pages")
  func truncated() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database.string)))
    let leaves = try leavesOfPhotos()
    try Data(bytes.prefix(leaves[leaves.count / 2] * Self.page)).write(
      to: URL(fileURLWithPath: database.string))
    #expect(try rows().photos.count > 20)
  }

  @Test("Salvaged rows: a row with a value of another type is left out")
  func wrongType() throws {
    try ForgedDatabase.execute("UPDATE photo SET md5 = 'x' WHERE id = 6", in: database)
    let rows = try rows()
    #expect(rows.photos.count == 399)
    #expect(!rows.hasAllPhotos)
  }

  @Test("Salvaged rows: a tree without an end is read up to the size of the file")
  func endlessTree() throws {
    try ForgedDatabase.repeatRows(of: "category", levels: 3, in: database)
    #expect(try rows().categories.count <= 2)
  }

  @Test("Salvaged rows: a file that is no database gives none")
  func noDatabase() throws {
    try Data(repeating: 7, count: 20_000).write(to: URL(fileURLWithPath: database.string))
    #expect(try rows().isEmpty)
  }
}
