import Testing

@testable import PhotoLibrary

/// A journal is written in pieces, and read as one.
struct JournalTests {
  @Test(arguments: [0, 1, 2, 999, 1000, 1001, 2500])
  func namesEveryFile(count: Int) throws {
    let scratch = try LibraryScratch()
    let library = try scratch.writer().library
    let staging = try StagingFolder(in: library)
    let files = (0..<count).map { number in
      Change.StagedFile(
        name: "\(number)", path: "photos/“\(number)”\\.jpg", md5: LibraryScratch.digest("\(number)"))
    }
    try staging.write(journalOf: files, as: .change, syncs: false, Staging.Journal.Item.init)
    let journal: Staging.Journal = try #require(
      try Staging.journal(.change, in: staging.path, of: library))
    #expect(journal.files.map(\.name) == files.map(\.name))
    #expect(journal.files.map(\.path) == files.map(\.path))
    #expect(journal.files.map(\.md5) == files.map(\.md5.description))
  }
}
