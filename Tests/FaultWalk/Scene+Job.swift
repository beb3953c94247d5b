import Backup
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage

/// The job of `jobs.yaml`. Its clock is a file, which each run advances by a day, so that a run never crosses midnight.
extension Scene {
  private static let destinations = ["one", "two"]

  /// The context of jobs in the scene.
  var jobContext: JobEnvironment {
    JobEnvironment(
      state: StateFolder(path: folder.appending("state")), password: { _ in throw CancellationError() },
      exitCode: { _ in 1 })
  }

  /// Backs up the library to two destinations, and changes it, so that the next run writes archives and prunes the older
  /// ones.
  func prepareJob() async throws {
    for name in Self.destinations + ["state"] {
      try FileManager.default.createDirectory(
        atPath: folder.appending(name).string, withIntermediateDirectories: true)
    }
    let text = """
      jobs:
        family:
          library: Library
          destinations: [one, two]
          retention: {keep-last: 1}
          status-file: status.json
      """
    try write(Array(text.utf8), to: "jobs.yaml")
    _ = try await backUp()
    var edit = LibraryEdit()
    var category = try Library(path: library).contents().categories[0]
    category.displayName = "Renamed"
    edit.changedCategories = [category]
    try LibraryWriter(path: library).change(.add) { try $0.commit(edit, files: []) }
  }

  /// Runs the job on the day after the one in the file `clock`.
  ///
  /// - Returns: false if the job is incomplete.
  func backUp() async throws -> Bool {
    let clock = try? String(contentsOfFile: folder.appending("clock").string, encoding: .utf8)
    let day = clock.flatMap { Int($0) }.map { $0 + 1 } ?? 0
    try write(Array("\(day)".utf8), to: "clock")
    var context = jobContext
    context.now = { Date(timeIntervalSince1970: 1_767_232_800 + Double(day) * 86400) }
    let file = try JobFile(folder.appending("jobs.yaml"), environment: [:])
    guard let job = file.jobs.first else { return false }
    return try await Work.backup(job, context).summary.run.outcome.isComplete
  }

  /// Returns what is wrong with the archives at the destinations.
  ///
  /// - Parameter isComplete: true if a run was complete since, so that each destination has one archive and nothing else.
  func faultsOfDestinations(isComplete: Bool) async throws -> [String] {
    var faults: [String] = []
    var fingerprints: Set<String?> = []
    for name in Self.destinations {
      let destination = folder.appending(name)
      let inventory = try ArchiveInventory(folder: destination)
      faults += inventory.unreadable.map { "\(name): \($0.path) is unreadable" }
      if inventory.archives.isEmpty { faults.append("\(name): no archive") }
      for archive in inventory.archives {
        let damage = try await Work.verify([FilePath(archive.path)]).summary.damaged
        if !damage.isEmpty { faults.append("\(name): \(archive.name) is damaged: \(damage)") }
      }
      guard isComplete else { continue }
      fingerprints.insert(inventory.archives.last?.fingerprint)
      let files = try FileManager.default.contentsOfDirectory(atPath: destination.string)
      if files.count != 1 { faults.append("\(name): not one file: \(files)") }
    }
    if isComplete, fingerprints.count != 1 || fingerprints.contains(nil) {
      faults.append("the destinations have different content: \(fingerprints)")
    }
    return faults
  }
}
