import Foundation
import GRDB
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Databases with random damage and six operations: each operation succeeds or throws an error of one line, in time. A
/// crash ends the tests.
@Suite struct DatabaseDamageTests {
  /// The value of `SMILEPILE_DATABASE_CASES`; nil if the test is one of many.
  private static let chosenCount =
    ProcessInfo.processInfo.environment["SMILEPILE_DATABASE_CASES"].flatMap { Int($0) }
  /// No operation on a library of a few photos takes longer. Beside other tests, it may wait for a thread.
  private static let longest: Duration = .seconds(chosenCount == nil ? 600 : 60)

  @Test(
    "Database: six operations on a randomly damaged library end with a result or an error that names the object"
  )
  func randomDamage() async throws {
    let sample = try await Sample()
    var tally: [String: (cases: Int, errors: Int)] = [:]
    for seed in 0..<(Self.chosenCount ?? 60) {
      var numbers = SeededNumbers(seed: UInt64(seed))
      try sample.restore()
      let damage = try DatabaseDamage(of: sample.database, &numbers)
      let damaged = try Data(contentsOf: URL(fileURLWithPath: sample.database.string))
      for (name, operation) in sample.operations(seed) {
        try sample.restore(damaged)
        let start = ContinuousClock.now
        let error = await Self.error(of: operation)
        let time = ContinuousClock.now - start
        let problem = problem(damage, error, time)
        if let problem { Issue.record("case \(seed), \(damage.kind) \(damage.label), \(name): \(problem)") }
        let key = "\(damage.kind), \(name)"
        tally[key, default: (0, 0)].cases += 1
        if error != nil { tally[key, default: (0, 0)].errors += 1 }
      }
    }
    guard Self.chosenCount != nil else { return }
    for (key, counts) in tally.sorted(by: { $0.key < $1.key }) {
      print("\(key): \(counts.cases) cases, \(counts.errors) errors")
    }
  }

  private static func error(of operation: () async throws -> Void) async -> (any Error)? {
    do {
      try await operation()
      return nil
    } catch {
      return error
    }
  }

  private func problem(_ damage: DatabaseDamage, _ error: (any Error)?, _ time: Duration) -> String? {
    if time > Self.longest { return "took \(time)" }
    guard let error else { return damage.kind == .schema ? "another schema was accepted" : nil }
    if error is DatabaseError || error is RowDecodingError { return "an error of SQLite: \(error)" }
    let text = "\(error)"
    if text.contains(where: \.isNewline) { return "the error has several lines: \(text)" }
    guard let place = damage.place, case LibraryError.database(_, let reason)? = error as? LibraryError else {
      return nil
    }
    return reason.contains(place) ? nil : "the error does not name \(place): \(reason)"
  }
}

/// A library with a history, whose files are put back before each operation.
private final class Sample: Sendable {
  let scratch = ScratchFolder()
  private let library: SampleLibrary
  private let archive: FilePath
  private let intact: Data
  private let original: FilePath

  var database: FilePath { library.path.appending("library.sqlite") }

  init() async throws {
    library = try SampleLibrary()
    archive = try SampleBackup(photos: ["one", "two", "three", "four"]).write(to: scratch, as: "a.zip")
    try await library.importing(archive)
    try await library.importing(Fixture.ios.path)
    try await library.exporting(to: scratch.path.appending("first.zip"))
    _ = try await Work.remove(LibrarySelection(ids: [2, 3]), from: library.path, options: .given).summary
    do {
      let writer = try LibraryWriter(path: library.path)
      if let pin = PIN(Secret("1234")) { try writer.setPIN(pin) }
    }
    intact = try Data(contentsOf: URL(fileURLWithPath: library.path.appending("library.sqlite").string))
    original = scratch.path.appending("original")
    try FileManager.default.moveItem(atPath: library.path.string, toPath: original.string)
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: original.appending("library.sqlite\(suffix)").string)
    }
  }

  /// Puts the library's files back, with this database instead of the intact one.
  func restore(_ bytes: Data? = nil) throws {
    try? FileManager.default.removeItem(atPath: library.path.string)
    try FileManager.default.copyItem(atPath: original.string, toPath: library.path.string)
    try (bytes ?? intact).write(to: URL(fileURLWithPath: database.string))
  }

  /// Six operations; the last one undoes or removes.
  func operations(_ seed: Int) -> [(String, () async throws -> Void)] {
    let (path, archive) = (library.path, archive)
    let output = scratch.path.appending("output.zip")
    return [
      ("list", { _ = try Library(path: path).contents() }),
      ("verify", { _ = try await Work.verify(library: path).summary }),
      (
        "stats",
        {
          let library = try Library(path: path)
          _ = try library.totals()
          if let export = try library.lastExport() { _ = try library.photosAdded(since: export) }
          _ = try library.libraryID()
          _ = try library.untrackedFiles()
        }
      ),
      (
        "export",
        {
          try? FileManager.default.removeItem(atPath: output.string)
          _ = try await Work.export(path, to: output).summary
        }
      ),
      ("import", { try await self.library.importing(archive) }),
      seed.isMultiple(of: 2)
        ? (
          "undo",
          {
            _ = try await Work.undo(path, options: .given).summary
          }
        )
        : (
          "remove",
          { _ = try await Work.remove(LibrarySelection(ids: [1, 4]), from: path, options: .given).summary }
        ),
    ]
  }
}
