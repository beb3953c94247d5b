import ArchiveCatalog
import ArgumentParser
import FileSystem
import Foundation
import Jobs
import PhotoLibrary

struct Storage: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the disk space of a library and its archives.",
    discussion: """
      Sizes are allocated bytes, as `du` counts them. “undo” has the files that `smilepile undo` would bring \
      back. “quarantined” has the corrupt files that a repair replaced, “leftovers” what interrupted commands \
      left. “cache” has the pictures that are drawn again when they are needed, “untracked” files that smilepile did \
      not make. `smilepile clean` removes leftovers, `smilepile cache clear` the cache.

      Example:
        smilepile storage -l ~/Family
      """)

  @OptionGroup var library: LibraryOption
  @OptionGroup var file: JobFileOption
  @OptionGroup var reporter: Reporter

  func run() async throws {
    let library = try Library(path: library.path())
    let storage = try library.storage()
    let destinations = try destinations(of: library)
    let shares = LibraryStorage.Purpose.allCases.map { purpose in
      [
        "\(purpose)", "\(Count(storage[purpose].files, "file"))", "\(ByteCount(storage[purpose].bytes))",
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
    try reporter.finish(isIncomplete: !storage.unreadable.isEmpty, Self.fields(storage, destinations))
  }

  private func destinations(of library: Library) throws -> [DestinationStorage] {
    let id = try library.libraryID()
    return try file.jobs(ofLibrary: library.path).flatMap { job in
      job.destinations.map { DestinationStorage($0, of: job, libraryID: id, .ofThisUser) }
    }
  }

  private static func fields(_ storage: LibraryStorage, _ destinations: [DestinationStorage]) -> JSONFields {
    func share(_ purpose: LibraryStorage.Purpose) -> JSONFields {
      ["files": storage[purpose].files, "bytes": storage[purpose].bytes]
    }
    return [
      "photos": share(.photos), "database": share(.database), "undo": share(.undo),
      "quarantined": share(.quarantined), "leftovers": share(.leftovers), "cache": share(.cache),
      "untracked": share(.untracked), "bytes": storage.bytes, "free_bytes": storage.freeBytes,
      "archives": destinations.map(fields), "unreadable": storage.unreadable.map(\.message),
    ]
  }

  private static func fields(_ destination: DestinationStorage) -> JSONFields {
    let space = try? destination.space.get()
    return [
      "job": destination.job, "path": destination.path.string, "archives": space?.archives,
      "bytes": space?.bytes, "free_bytes": space?.freeBytes,
      "problem": destination.space.problem,
    ]
  }
}

extension DestinationStorage {
  fileprivate var row: [String] {
    let text =
      switch space {
      case .success(let space):
        "\(Count(space.archives, "archive")), \(ByteCount(space.bytes)); \(ByteCount(space.freeBytes)) free"
      case .failure(let error): "\(error)".escaped
      }
    return [job, path.string.escaped, text]
  }
}
