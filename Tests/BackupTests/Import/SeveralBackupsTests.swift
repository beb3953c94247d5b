import Checksums
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Synchronization
import TestSupport
import Testing
import Zip

@testable import Backup

/// Several backups in one import.
struct SeveralBackupsTests {
  /// The second backup changes while the first one is imported.
  @Test("Import: if the second backup fails, the first stays and the error has its summary")
  func secondBackupFails() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var first = SampleBackup(photos: ["a", "b"])
    first.metadata.photoManifest[1].checksum = MD5Digest(of: [1]).description
    let one = try scratch.write(first.archive(), to: "1.zip")
    let two = try scratch.write(SampleBackup(photos: ["a"]).archive(), to: "2.zip")
    let error = await #expect(throws: ImportStopped.self) {
      _ = try await library.importing(one, two) { options in
        options.duplicates = { _ in
          // The library already has the only photo of the second backup.
          try? Data("cut".utf8).write(to: URL(fileURLWithPath: two.string))
          return .rename
        }
      }
    }
    let done = try #require(error?.done)
    #expect(error?.path == two)
    #expect(error?.imported == [one])
    #expect(done.photosImported == 1)
    #expect(done.errors.map(\.item) == ["photo 2 “b” in “Family”"])
    #expect(try library.contents.photos.map(\.name) == ["a"])
    expectNone(try library.faults())
  }

  @Test("Import: if it is cancelled at the second backup, the error has the summary of the first")
  func cancelledAtSecond() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let one = try scratch.write(SampleBackup(photos: ["a", "b"]).archive(), to: "1.zip")
    let two = try scratch.write(SampleBackup(photos: ["a"]).archive(), to: "2.zip")
    let work = Mutex<Work<ImportSummary>?>(nil)
    let isReady = DispatchSemaphore(value: 0)
    var options = ImportOptions()
    options.reportsPhotos = true
    options.duplicates = { _ in
      isReady.wait()
      work.withLock { $0?.cancel() }
      return .rename
    }
    work.withLock { [options] in $0 = .import([one, two], into: library.path, options: options) }
    isReady.signal()
    let error = await #expect(throws: ImportStopped.self) { _ = try await work.withLock { $0 }?.summary }
    let done = try #require(error?.done)
    #expect(error?.path == two)
    #expect(error?.imported == [one])
    #expect(error?.reason is CancellationError)
    #expect(done.photoReports.map(\.action) == [.imported, .imported])
    #expect(error?.description == "stopped at \(two); already imported: \(one)")
    #expect(try library.contents.photos.map(\.name) == ["a", "b"])
    expectNone(try library.faults())
  }

  @Test("Import: each finding is counted and passed on", arguments: [true, false])
  func countedFindings(isDryRun: Bool) async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var first = SampleBackup(photos: ["a", "b"])
    first.metadata.photoManifest[1].checksum = MD5Digest(of: [1]).description
    try FileManager.default.createDirectory(
      atPath: scratch.path.appending("in").string, withIntermediateDirectories: true)
    _ = try scratch.write(first.archive(), to: "in/1.zip")
    _ = try scratch.write(Array(SampleBackup(photos: ["c"]).archive().dropLast(400)), to: "in/2.zip")
    var options = ImportOptions()
    options.isDryRun = isDryRun
    let work = Work.import([scratch.path.appending("in")], into: library.path, options: options)
    var findings: [Finding] = []
    for await finding in work.findings { findings.append(finding) }
    let summary = try await work.summary
    #expect(summary.errors.count == (isDryRun ? 1 : 2))
    #expect(findings == summary.errors)
    #expect(work.currentProgress.errorCount == summary.errors.count)
  }

  @Test("Replace: several backups are refused and the library is unchanged")
  func severalBackups() async throws {
    let (library, scratch) = (
      try await SampleLibrary.imported(SampleBackup(photos: ["a"])), ScratchFolder()
    )
    let one = try scratch.write(SampleBackup(photos: ["b"]).archive(), to: "1.zip")
    let before = try library.tree
    await #expect(throws: BackupError.self) {
      _ = try await library.importing(one, one) { $0.strategy = .replace }
    }
    #expect(try library.tree == before)
  }
}
