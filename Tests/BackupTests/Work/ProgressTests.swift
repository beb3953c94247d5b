import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Progress never decreases, never exceeds its totals, and equals them at the end.
@Suite struct ProgressTests {
  /// Reads the progress of the work to its end, then its summary.
  private func values<Summary: Sendable>(of work: Work<Summary>) async throws -> (
    [Operations.Progress], Summary
  ) {
    var values: [Operations.Progress] = []
    for await value in work.progress { values.append(value) }
    return (values, try await work.summary)
  }

  private func expectSound(
    _ values: [Operations.Progress], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (value, next) in zip(values, values.dropFirst()) {
      #expect(next.fractionCompleted >= value.fractionCompleted, sourceLocation: sourceLocation)
      #expect(next.elapsed >= value.elapsed, sourceLocation: sourceLocation)
    }
    for value in values {
      #expect((0...1).contains(value.fractionCompleted), sourceLocation: sourceLocation)
      #expect(value.processedItems <= value.totalItems, sourceLocation: sourceLocation)
      #expect(value.bytesProcessed <= value.totalBytes, sourceLocation: sourceLocation)
    }
    let last = try #require(values.last, sourceLocation: sourceLocation)
    #expect(last.phase == .finished, sourceLocation: sourceLocation)
    #expect(last.fractionCompleted == 1, sourceLocation: sourceLocation)
    #expect(last.processedItems == last.totalItems, sourceLocation: sourceLocation)
    #expect(last.bytesProcessed == last.totalBytes, sourceLocation: sourceLocation)
  }

  private func backup() -> SampleBackup {
    var backup = SampleBackup()
    for id in 1...100 {
      backup.add(id: Int64(id), name: "\(id)", bytes: Array(String(repeating: "\(id)", count: id * 50).utf8))
    }
    return backup
  }

  @Test(
    "Progress: an export counts all photos, and verified photos twice",
    arguments: [ExportOptions.Format.zip, .json], [false, true])
  func exportProgress(_ format: ExportOptions.Format, _ verifies: Bool) async throws {
    let (library, scratch) = (try await SampleLibrary.imported(backup()), ScratchFolder())
    var options = ExportOptions()
    options.format = format
    options.verifies = verifies
    let (values, summary) = try await values(of: .export(library.path, to: scratch.path, options: options))
    try expectSound(values)
    // a verified photo is counted again
    #expect(values.last?.totalItems == (verifies ? 200 : 100))
    #expect(values.last?.totalBytes == summary.bytes * (verifies ? 2 : 1))
  }

  /// The fault of some photos of the backup.
  enum Fault: CaseIterable { case none, missing, flipped, withoutChecksum, flippedWithoutChecksum, lost }

  @Test(
    "Progress: an import counts all photos, including missing and corrupt ones", arguments: Fault.allCases,
    [false, true])
  func importProgress(_ fault: Fault, _ isDryRun: Bool) async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = backup()
    for index in [3, 50, 99].reversed() {
      switch fault {
      case .none: continue
      case .missing: backup.members.remove(at: index)
      case .flipped: backup.members[index].data[0] ^= 1
      case .withoutChecksum: backup.metadata.photoManifest[index].checksum = nil
      case .flippedWithoutChecksum:
        backup.members[index].data[0] ^= 1
        backup.metadata.photoManifest[index].checksum = nil
      case .lost: backup.metadata.photoManifest.remove(at: index)
      }
    }
    let path = try backup.write(to: scratch)
    var options = ImportOptions()
    options.isDryRun = isDryRun
    // all photos are new to the first import, and none to the second
    for _ in 0..<2 {
      let (values, _) = try await values(of: .import([path], into: library.path, options: options))
      try expectSound(values)
      #expect(values.last?.totalItems == 100)
    }
  }

  @Test("Progress: several backups are counted together")
  func severalBackups() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let paths = [try backup().write(to: scratch), Fixture.android.path, Fixture.json.path, Fixture.ios.path]
    let (values, _) = try await values(of: .import(paths, into: library.path))
    try expectSound(values)
    #expect(values.last?.totalItems == 128)
    let (again, _) = try await self.values(of: .verify(paths))
    try expectSound(again)
    let (check, _) = try await self.values(of: .verify(library: library.path))
    try expectSound(check)
  }

  @Test("Progress: the counter of an export has all photos and bytes at the end")
  func exportCounter() async throws {
    let (library, scratch) = (try await SampleLibrary.imported(backup()), ScratchFolder())
    let counter = ProgressCounter()
    let summary = try ExportRun(
      libraryPath: library.path, destination: scratch.path, options: ExportOptions(), counter: counter
    ).run()
    #expect(counter.current.bytesProcessed == summary.bytes)
    #expect(counter.current.processedItems == 100)
    #expect(counter.current.phase == .committing)
  }

  @Test("Progress: at most ten values a second are reported")
  func valueRate() async throws {
    let work = Work { counter in
      counter.setTotals(items: 1000, bytes: 0)
      let start = ContinuousClock.now
      while counter.current.processedItems < 1000 {
        let due = Int((ContinuousClock.now - start) / .milliseconds(1))
        counter.advance(items: min(due, 1000) - counter.current.processedItems)
      }
    }
    let start = ContinuousClock.now
    let (values, _) = try await values(of: work)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    // plus the first and the last value
    #expect(Double(values.count) <= seconds * 10 + 2)
    try expectSound(values)
  }

  @Test("Progress: work finishes without a reader, and a late reader gets the last value")
  func unreadProgress() async throws {
    let (library, scratch) = (try await SampleLibrary.imported(backup()), ScratchFolder())
    let work = Work.export(library.path, to: scratch.path)
    #expect(try await work.summary.photos == 100)
    #expect(work.currentProgress.phase == .finished)
    // a late reader gets the last value
    let (values, _) = try await values(of: work)
    #expect(values.count == 1)
    try expectSound(values)
  }

  @Test("Progress: the stream ends when the work fails")
  func failure() async throws {
    let scratch = ScratchFolder()
    let work = Work.export(scratch.path, to: scratch.path)
    var last: Operations.Progress?
    for await value in work.progress { last = value }
    #expect(last?.phase != nil)
    #expect(last?.phase != .finished)
    await #expect(throws: LibraryError.self) { try await work.summary }
  }
}
