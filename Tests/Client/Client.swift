import ArchiveCatalog
import Backup
import Operations
import PhotoLibrary
import SystemPackage
import Testing

/// Uses the library product as the code of another package does: this target sees the public declarations only.
@Suite("Client of the library product")
struct Client {
  private let folder: ClientFolder
  private let ledger: Ledger
  private let family: FilePath

  init() throws {
    folder = try ClientFolder()
    ledger = Ledger(folder: folder.path.appending("state"))
    family = try folder.library("Family")
  }

  private func addPhotos(_ count: Int) async throws -> AddSummary {
    var options = AddOptions()
    options.category = "Sea"
    options.recorder = ledger
    return try await Work.add(folder.photos(count), to: family, options: options).summary
  }

  private func exportFamily() -> Work<ExportSummary> {
    var options = ExportOptions()
    options.ledger = ledger
    return Work.export(family, to: folder.path, options: options)
  }

  @Test("Client: photos that are added, exported and imported are in the other library")
  func importsAndExports() async throws {
    #expect(try await addPhotos(3).photosAdded == 3)
    let exported = try await exportFamily().summary
    #expect(!exported.isIncomplete)
    let archive = try #require(exported.archive)
    let restored = try folder.library("Restored")
    #expect(try await Work.import([archive], into: restored).summary.photosImported == 3)
    #expect(try Library(path: restored).totals().photos == 3)
    #expect(try Library(path: restored).categories().map(\.displayName) == ["Sea"])
  }

  @Test("Client: a new archive and its library are intact")
  func verifies() async throws {
    _ = try await addPhotos(3)
    let archive = try #require(try await exportFamily().summary.archive)
    let check = try await Work.verify([archive], ledger: ledger).summary
    #expect(check.findings.isEmpty)
    #expect(check.entriesChecked >= 3)
    #expect(try await Work.verify(library: family, ledger: ledger).summary.findings.isEmpty)
  }

  @Test("Client: the history lists the operations, newest first")
  func readsHistory() async throws {
    _ = try await addPhotos(2)
    let archive = try #require(try await exportFamily().summary.archive)
    var options = ImportOptions()
    options.ledger = ledger
    _ = try await Work.import([archive], into: family, options: options).summary
    let history = ledger.history()
    #expect(history.map(\.run.kind) == [.import, .export, .add])
    #expect(history.map(\.outcome) == [.done, .done, .done])
    #expect(history.map(\.run.counts.photos) == [0, 2, 2])
    #expect(history.map(\.run.libraryPath) == [family, family, family])
    #expect(ledger.operation(number: 1)?.run.kind == .add)
  }

  @Test("Client: the history lists a failed operation")
  func readsFailure() async throws {
    var options = ImportOptions()
    options.ledger = ledger
    _ = try? await Work.import(["/missing.zip"], into: family, options: options).summary
    #expect(ledger.history().map(\.outcome) == [.failed])
  }

  @Test("Client: the stream of progress draws a bar that ends at 100 %")
  func drawsProgress() async throws {
    _ = try await addPhotos(20)
    let export = exportFamily()
    var shares: [Double] = []
    var line = ""
    for await progress in export.progress {
      shares.append(progress.fractionCompleted)
      let bar = String(repeating: "#", count: Int(progress.fractionCompleted * 10))
      line = "[\(bar)] \(progress.phase.rawValue) \(progress.processedItems) of \(progress.totalItems)"
    }
    #expect(try await export.summary.photos == 20)
    #expect(shares == shares.sorted())
    #expect(line == "[##########] finished 20 of 20")
  }
}
