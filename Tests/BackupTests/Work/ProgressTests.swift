import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// The progress of exports and imports: never backwards, never more than there is, and at its end all of it.
@Suite struct ProgressTests {
  /// Work that is read to its end, and what came.
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
    #expect(last.phase == .finished && last.fractionCompleted == 1, sourceLocation: sourceLocation)
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

  @Test(arguments: [ExportOptions.Format.zip, .json], [false, true])
  func ofAnExport(_ format: ExportOptions.Format, _ verifies: Bool) async throws {
    let (library, scratch) = (try await SampleLibrary.imported(backup()), try ScratchFolder())
    var options = ExportOptions()
    options.format = format
    options.verifies = verifies
    let (values, summary) = try await values(of: .export(library.path, to: scratch.path, options: options))
    try expectSound(values)
    // what is read back counts once more
    #expect(values.last?.totalItems == (verifies ? 200 : 100))
    #expect(values.last?.totalBytes == summary.bytes * (verifies ? 2 : 1))
  }

  /// What is wrong with some photos of the backup.
  enum Fault: CaseIterable { case none, missing, flipped, withoutChecksum, flippedWithoutChecksum, lost }

  @Test(arguments: Fault.allCases, [false, true])
  func ofAnImport(_ fault: Fault, _ isDryRun: Bool) async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
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
    // once when all is new, and once when nothing is
    for _ in 0..<2 {
      let (values, _) = try await values(of: .import([path], into: library.path, options: options))
      try expectSound(values)
      #expect(values.last?.totalItems == 100)
    }
  }

  @Test func ofSeveralBackups() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    let paths = [try backup().write(to: scratch), Fixture.android.path, Fixture.json.path, Fixture.ios.path]
    let (values, _) = try await values(of: .import(paths, into: library.path))
    try expectSound(values)
    #expect(values.last?.totalItems == 128)
    let (again, _) = try await self.values(of: .verify(paths))
    try expectSound(again)
    let (check, _) = try await self.values(of: .verify(library: library.path))
    try expectSound(check)
  }

  @Test func theCountOfAnExportRunsAlong() async throws {
    let (library, scratch) = (try await SampleLibrary.imported(backup()), try ScratchFolder())
    let counter = ProgressCounter()
    let summary = try ExportRun(
      libraryPath: library.path, destination: scratch.path, options: ExportOptions(), counter: counter
    ).run()
    #expect(counter.current.bytesProcessed == summary.bytes && counter.current.processedItems == 100)
    #expect(counter.current.phase == .committing)
  }

  @Test func atMostTenValuesASecond() async throws {
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
    // one at the start and one at the end besides
    #expect(Double(values.count) <= seconds * 10 + 2)
    try expectSound(values)
  }

  @Test func nobodyHasToReadIt() async throws {
    let (library, scratch) = (try await SampleLibrary.imported(backup()), try ScratchFolder())
    let work = Work.export(library.path, to: scratch.path)
    #expect(try await work.summary.photos == 100)
    #expect(work.currentProgress.phase == .finished)
    // whoever comes late gets the last value
    let (values, _) = try await values(of: work)
    #expect(values.count == 1)
    try expectSound(values)
  }

  @Test func aFailureEndsTheStreamToo() async throws {
    let scratch = try ScratchFolder()
    let work = Work.export(scratch.path, to: scratch.path)
    var last: Operations.Progress?
    for await value in work.progress { last = value }
    #expect(last?.phase != nil && last?.phase != .finished)
    await #expect(throws: LibraryError.self) { try await work.summary }
  }
}
