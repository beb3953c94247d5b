import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// The disk space of a job's archives.
struct DestinationStorageTests {
  private func storage(_ night: Night) throws -> [DestinationStorage] {
    let id = try Library(path: night.library.path).libraryID()
    return night.job.destinations.map {
      DestinationStorage($0, of: night.job, libraryID: id, night.context.ledger)
    }
  }

  private func space(_ storage: DestinationStorage) throws -> DestinationStorage.Space {
    try storage.space.get()
  }

  @Test("Storage of a destination: the archives of the job count, with their allocated bytes")
  func archives() async throws {
    let night = try await Night.afterBackup()
    _ = try await Work.export(night.library.path, to: night.folder("one/other.zip")).summary
    let (one, two) = (try space(storage(night)[0]), try space(storage(night)[1]))
    #expect(one.archives == 1)
    #expect(one.freeBytes > 0)
    #expect(two.archives == 1)
    // the folder itself is not counted
    let folder = try Directory.open(night.folder("two")).status().allocatedBytes
    #expect(two.bytes == (try Programs.diskUsage(of: night.folder("two"))) - folder)
  }

  @Test("Storage of a destination: a missing folder is described")
  func missingFolder() throws {
    let night = try Night()
    try night.remove(night.folder("two").string)
    guard case .failure(let error) = try storage(night)[1].space else {
      Issue.record("the folder can be read")
      return
    }
    let reason = "\(error)"
    #expect(reason.contains("two is missing; check that its disk is mounted"))
    let (folders, faults) = night.job.destinations.readable()
    #expect(folders == [night.folder("one")])
    #expect(faults == [reason])
  }

  @Test("Job file: the jobs of a library are those with its folder, and those that last backed it up")
  func jobsOfLibrary() async throws {
    let night = try Night()
    let text = """
      jobs:
        family: {destinations: one}
        own: {library: \(night.library.path), destinations: one}
        other: {library: /nowhere, destinations: one}
      """
    let file = try JobFile(text: text, path: night.folder("jobs.yaml"), home: nil)
    let id = try Library(path: night.library.path).libraryID()
    let jobs = { file.jobs(ofLibrary: night.library.path, id: id, night.context.state).map(\.name) }
    #expect(jobs() == ["own"])
    _ = try await night.backup()
    #expect(jobs() == ["family", "own"])
  }
}
