import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Cancelled work throws `CancellationError` and changes nothing.
@Suite struct CancellationTests {
  /// Has so many photos that the work is cancelled before its end.
  private func backup() -> SampleBackup {
    var backup = SampleBackup()
    for id in 1...200 { backup.add(id: Int64(id), name: "\(id % 7)", bytes: Array("photo \(id)".utf8)) }
    return backup
  }

  /// What cancels the work.
  enum Trigger: CaseIterable { case cancel, waitingTask, readingTask }

  /// Cancels the work after `items` photos. Returns whether the work was cancelled before its end.
  private func stop<Summary: Sendable>(
    _ work: Work<Summary>, by trigger: Trigger = .cancel, after items: Int = 0
  ) async throws -> Bool {
    let waiting = Task { try await work.summary }
    let reading = Task { for await _ in work.progress {} }
    while items > 0, work.currentProgress.processedItems < items, work.currentProgress.phase != .finished {
      await Task.yield()
    }
    switch trigger {
    case .cancel: work.cancel()
    case .waitingTask: waiting.cancel()
    case .readingTask: reading.cancel()
    }
    do {
      _ = try await waiting.value
      return false
    } catch is CancellationError {
      return true
    }
  }

  @Test(
    "Cancellation: an export that is cancelled at its start leaves no file", arguments: Trigger.allCases,
    [ExportOptions.Format.zip, .json])
  func exportAtStart(_ trigger: Trigger, _ format: ExportOptions.Format) async throws {
    let (library, scratch) = (try await SampleLibrary.imported(backup()), ScratchFolder())
    let tree = try library.tree
    var options = ExportOptions()
    options.format = format
    #expect(try await stop(.export(library.path, to: scratch.path, options: options), by: trigger))
    #expect(try FolderTree(scratch.path).files.isEmpty)
    expectNone(try library.tree.differences(from: tree))
  }

  @Test(
    "Cancellation: an import that is cancelled at its start leaves the library unchanged",
    arguments: Trigger.allCases, ImportStrategy.allCases)
  func importAtStart(_ trigger: Trigger, _ strategy: ImportStrategy) async throws {
    let library = try await SampleLibrary.imported(SampleBackup(photos: ["old"]))
    let scratch = ScratchFolder()
    let path = try backup().write(to: scratch)
    let tree = try library.tree
    var options = ImportOptions()
    options.strategy = strategy
    #expect(try await stop(.import([path], into: library.path, options: options), by: trigger))
    expectNone(try library.tree.differences(from: tree))
    expectNone(try library.faults())
    try await library.importing(path)
    #expect(try library.contents.photos.count == 201, "the lock is released")
  }

  @Test("Cancellation: a running export that is cancelled leaves no archive", arguments: [false, true])
  func runningExport(_ verifies: Bool) async throws {
    let (library, scratch) = (try await SampleLibrary.imported(backup()), ScratchFolder())
    let tree = try library.tree
    var options = ExportOptions()
    options.verifies = verifies
    options.readers = 1
    var wasInTime = false
    for attempt in 0..<200 where !wasInTime {
      let target = scratch.path.appending("\(attempt).zip")
      wasInTime = try await stop(.export(library.path, to: target, options: options), after: 1)
      if wasInTime { #expect(!FileManager.default.fileExists(atPath: target.string)) }
    }
    #expect(wasInTime)
    let names = try FolderTree(scratch.path).fileNames
    #expect(names.allSatisfy { $0.hasSuffix(".zip") })
    #expect(!names.contains { $0.hasPrefix(".") })
    #expect(try library.contents.photos.count == 200)
    #expect(try library.tree.fileNames == tree.fileNames)
  }

  @Test("Cancellation: a running import that is cancelled leaves the library unchanged")
  func runningImport() async throws {
    let scratch = ScratchFolder()
    let path = try backup().write(to: scratch)
    var options = ImportOptions()
    options.readers = 1
    var wasInTime = false
    for attempt in 0..<200 where !wasInTime {
      let library = try SampleLibrary()
      let tree = try library.tree
      wasInTime = try await stop(.import([path], into: library.path, options: options), after: 1 + attempt)
      if wasInTime {
        expectNone(try library.tree.differences(from: tree).filter { $0 != ".staging/" })
        expectNone(try library.faults())
      }
    }
    #expect(wasInTime)
  }

  @Test("Cancellation: an import that is cancelled while it plans changes nothing")
  func planningImport() async throws {
    let library = try await SampleLibrary.imported(backup())
    let scratch = ScratchFolder()
    var more = backup()
    more.add(id: 900, name: "new", bytes: [1])
    let path = try more.write(to: scratch)
    let tree = try library.tree
    let counter = ProgressCounter()
    var options = ImportOptions()
    options.duplicates = { _ in
      counter.cancel()
      return .rename
    }
    #expect(throws: CancellationError.self) {
      try ImportRun(library: library.path, options: options, counter: counter).run([path])
    }
    expectNone(try library.tree.differences(from: tree))
    expectNone(try library.faults())
  }

  @Test("Cancellation: an import that is cancelled in its second backup keeps the first")
  func secondBackup() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let first = try SampleBackup(photos: ["a"]).write(to: scratch, as: "1.zip")
    let second = try SampleBackup(photos: ["a", "b"]).write(to: scratch, as: "2.zip")
    let counter = ProgressCounter()
    var options = ImportOptions()
    options.duplicates = { _ in
      counter.cancel()
      return .skip
    }
    let error = #expect(throws: ImportStopped.self) {
      try ImportRun(library: library.path, options: options, counter: counter).run([first, second])
    }
    let done = try #require(error?.done)
    #expect(error?.path == second)
    #expect(error?.imported == [first])
    #expect(done.photosImported == 1)
    #expect(error?.reason is CancellationError)
    #expect(try library.contents.photos.map(\.name) == ["a"], "as after the first backup")
    expectNone(try library.faults())
  }
}
