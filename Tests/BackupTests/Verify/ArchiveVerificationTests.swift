import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// What an error says of an archive.
@Suite struct ArchiveVerificationTests {
  @Test("Archive verification: an import or extraction that cannot open a truncated archive makes it suspect")
  func truncatedArchive() async throws {
    let library = try SampleLibrary()
    let folder = ScratchFolder()
    let ledger = Ledger()
    for isImport in [true, false] {
      let archive = try Fixture.ios.copy(as: "\(isImport).zip", in: folder)
      try FileHandle(forWritingTo: URL(fileURLWithPath: archive.string)).truncate(atOffset: 100_000)
      await #expect(throws: (any Error).self) {
        if isImport {
          try await library.importing(archive) { $0.ledger = ledger }
        } else {
          var options = ExtractOptions()
          options.ledger = ledger
          _ = try await Work.extract(archive, to: folder.path.appending("photos"), options: options).summary
        }
      }
      let file = try #require(ArchiveFile(at: archive))
      #expect(ledger.health(of: file).isSuspect)
    }
  }
}
