import ArchiveCatalog
import ArgumentParser
import FileSystem
import Foundation
import Jobs
import PhotoLibrary
import SystemPackage

struct Storage: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage",
    abstract: "Show the disk space of a library and its archives.",
    discussion: """
      Sizes are allocated bytes, as `du` counts them. “undo” has the files that `smilepile undo` would bring \
      back, “quarantined” the corrupt files that a repair replaced, “leftovers” what interrupted commands \
      left, “cache” the pictures that are drawn again when they are needed, “untracked” files that smilepile did \
      not make. `smilepile clean` removes leftovers, `smilepile cache clear` the cache.

      Example:
        smilepile storage -l ~/Family
      """)

  @OptionGroup var library: LibraryOption
  @OptionGroup var file: JobFileOption
  @OptionGroup var output: CommonOptions

  private struct Share: Encodable {
    var files: Int
    var bytes: Int
  }

  private struct Destination: Encodable {
    var job: String
    var path: String
    var archives: Int?
    var bytes: Int?
    var freeBytes: Int?
    var problem: String?
  }

  private struct Summary: Encodable {
    let messageType = "summary"
    var photos: Share
    var database: Share
    var undo: Share
    var quarantined: Share
    var leftovers: Share
    var cache: Share
    var untracked: Share
    var bytes: Int
    var freeBytes: Int
    var archives: [Destination]
    var unreadable: [String]
  }

  func run() async throws {
    let library = try Library(path: library.path())
    let reporter = Reporter(output)
    let storage = try library.storage()
    let destinations = try destinations(of: library)
    let shares = LibraryStorage.Purpose.allCases.map { purpose in
      [
        purpose.label, "\(Count(storage[purpose].files, "file"))", "\(ByteCount(storage[purpose].bytes))",
      ]
    }
    reporter.result(
      TextTable(
        .left, .right, .right,
        rows: shares + [
          ["total", "", "\(ByteCount(storage.bytes))"], ["free", "", "\(ByteCount(storage.freeBytes))"],
        ]))
    if !destinations.isEmpty {
      reporter.result("archives")
      reporter.result(TextTable(.left, .left, .left, indentation: 2, rows: destinations.map(\.row)))
    }
    for folder in storage.unreadable { reporter.warn(folder.message) }
    reporter.json(Self.summary(storage, destinations))
    if !storage.unreadable.isEmpty { throw ExitStatus.incomplete }
  }

  private func destinations(of library: Library) throws -> [DestinationStorage] {
    guard let jobs = try file.readIfPresent() else { return [] }
    let state = StateFolder.ofThisUser
    let id = try library.libraryID()
    return jobs.jobs(ofLibrary: library.path, id: id, state).flatMap { job in
      job.destinations.map { DestinationStorage($0, of: job, libraryID: id, state.ledger) }
    }
  }

  private static func summary(_ storage: LibraryStorage, _ destinations: [DestinationStorage]) -> Summary {
    func share(_ purpose: LibraryStorage.Purpose) -> Share {
      Share(files: storage[purpose].files, bytes: storage[purpose].bytes)
    }
    return Summary(
      photos: share(.photos), database: share(.database), undo: share(.undo),
      quarantined: share(.quarantined), leftovers: share(.leftovers), cache: share(.cache),
      untracked: share(.untracked),
      bytes: storage.bytes, freeBytes: storage.freeBytes,
      archives: destinations.map { destination in
        var row = Destination(job: destination.job, path: destination.path.string)
        switch destination.state {
        case .readable(let space):
          (row.archives, row.bytes, row.freeBytes) = (space.archives, space.bytes, space.freeBytes)
        case .unreadable(let reason): row.problem = reason
        }
        return row
      }, unreadable: storage.unreadable.map(\.message))
  }
}

extension LibraryStorage.Purpose {
  fileprivate var label: String {
    switch self {
    case .photos: "photos"
    case .database: "database"
    case .undo: "undo"
    case .quarantined: "quarantined"
    case .leftovers: "leftovers"
    case .cache: "cache"
    case .untracked: "untracked"
    }
  }
}

extension DestinationStorage {
  fileprivate var row: [String] {
    let text =
      switch state {
      case .readable(let space):
        "\(Count(space.archives, "archive")), \(ByteCount(space.bytes)); \(ByteCount(space.freeBytes)) free"
      case .unreadable(let reason): reason.escaped
      }
    return [job, path.string.escaped, text]
  }
}
