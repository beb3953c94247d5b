import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Work that is told to stop, at once or in the middle: it throws `CancellationError` and leaves no trace.
@Suite struct CancellationTests {
  /// Enough photos that the work cannot be done before it is told.
  private func backup() -> SampleBackup {
    var backup = SampleBackup()
    for id in 1...200 { backup.add(id: Int64(id), name: "\(id % 7)", bytes: Array("photo \(id)".utf8)) }
    return backup
  }

  /// The ways to say it.
  enum Way: CaseIterable { case cancel, waitingTask, readingTask }

  /// Stops the work when it has done with `items` photos; true if that was in time.
  private func stop<Summary: Sendable>(
    _ work: Work<Summary>, by way: Way = .cancel, after items: Int = 0
  ) async throws -> Bool {
    let waiting = Task { try await work.summary }
    let reading = Task { for await _ in work.progress {} }
    while items > 0, work.currentProgress.processedItems < items, work.currentProgress.phase != .finished {
      await Task.yield()
    }
    switch way {
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

  @Test(arguments: Way.allCases, [ExportOptions.Format.zip, .json])
  func anExportStoppedAtOnce(_ way: Way, _ format: ExportOptions.Format) async throws {
    let (library, scratch) = (try await SampleLibrary.imported(backup()), try ScratchFolder())
    let tree = try library.tree
    var options = ExportOptions()
    options.format = format
    #expect(try await stop(.export(library.path, to: scratch.path, options: options), by: way))
    #expect(try FolderTree(scratch.path).files.isEmpty)
    expectNone(try library.tree.differences(from: tree))
  }

  @Test(arguments: Way.allCases, ImportStrategy.allCases)
  func anImportStoppedAtOnce(_ way: Way, _ strategy: ImportStrategy) async throws {
    let library = try await SampleLibrary.imported(SampleBackup(photos: ["old"]))
    let scratch = try ScratchFolder()
    let path = try backup().write(to: scratch)
    let tree = try library.tree
    var options = ImportOptions()
    options.strategy = strategy
    #expect(try await stop(.import([path], into: library.path, options: options), by: way))
    expectNone(try library.tree.differences(from: tree))
    expectNone(try library.faults())
    try await library.importing(path)
    #expect(try library.contents.photos.count == 201, "the lock is free again")
  }

  @Test(arguments: [false, true]) func anExportStoppedInTheMiddle(_ verifies: Bool) async throws {
    let (library, scratch) = (try await SampleLibrary.imported(backup()), try ScratchFolder())
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
    #expect(try FolderTree(scratch.path).fileNames.allSatisfy { $0.hasSuffix(".zip") && !$0.hasPrefix(".") })
    #expect(try library.contents.photos.count == 200)
    #expect(try library.tree.fileNames == tree.fileNames)
  }

  @Test func anImportStoppedInTheMiddle() async throws {
    let scratch = try ScratchFolder()
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

  @Test func anImportStoppedWhileItPlans() async throws {
    let library = try await SampleLibrary.imported(backup())
    let scratch = try ScratchFolder()
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

  @Test func theSecondOfTwoBackupsStopped() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    let first = try SampleBackup(photos: ["a"]).write(to: scratch, as: "1.zip")
    let second = try SampleBackup(photos: ["a", "b"]).write(to: scratch, as: "2.zip")
    let counter = ProgressCounter()
    var options = ImportOptions()
    options.duplicates = { _ in
      counter.cancel()
      return .skip
    }
    #expect(throws: CancellationError.self) {
      try ImportRun(library: library.path, options: options, counter: counter).run([first, second])
    }
    #expect(try library.contents.photos.map(\.name) == ["a"], "as it was after the last whole backup")
    expectNone(try library.faults())
  }
}
