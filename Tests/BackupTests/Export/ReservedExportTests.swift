import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Exports are in the library before they are published. Otherwise an export that is killed after it has published its
/// archive would be unknown to the next one, which would get a smaller number if the clock was set back.
@Suite struct ReservedExportTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary

  init() throws {
    library = try SampleLibrary(
      [.init(id: 1, fileName: "1.jpg", bytes: [UInt8](repeating: 1, count: 900))],
      categories: [.sample(1, "family")])
  }

  @Test("Export: the library knows an archive when it is published")
  func published() async throws {
    let found = Mutex<(history: ExportHistory, last: ExportRecord?)?>(nil)
    let path = library.path
    let fault = ArmedFault(
      .then {
        guard let library = try? Library(path: path), let history = try? library.exportHistory(at: 0) else {
          return
        }
        let last = try? library.lastExport()
        found.withLock { $0 = (history, last) }
      }, of: [.linkDescriptor], below: scratch.path)
    defer { fault.disarm() }
    let summary = try await Work.export(path, to: scratch.path).summary
    let archive = try ArchiveDescriptor(path: try #require(summary.archives.first))
    let (history, last) = try #require(found.withLock { $0 })
    #expect(history.earlierIDs == [archive.archiveID])
    #expect(history.sequence == archive.sequence.map { $0 + 1 })
    #expect(last == nil)
    let record = try #require(try Library(path: path).lastExport())
    #expect(record.id == archive.archiveID)
    #expect(record.archive == archive.path)
    #expect(record.archiveBytes > 0)
  }

  @Test("Export: an archive that is not published leaves no record")
  func failed() async throws {
    let taken = try scratch.write([1], to: "taken.zip")
    await #expect(throws: BackupError.self) { try await Work.export(library.path, to: taken).summary }
    #expect(try Library(path: library.path).exportHistory(at: 0).earlierIDs == [])
  }
}
