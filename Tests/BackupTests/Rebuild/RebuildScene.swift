import Checksums
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// A library with an archive, whose database a test loses.
final class RebuildScene: Sendable {
  let library: SampleLibrary
  let scratch = ScratchFolder()
  var archive: FilePath { scratch.path.appending("archive.zip") }
  var database: FilePath { library.path.appending("library.sqlite") }

  /// Makes a library with three photos in two categories, and an asset.
  init() async throws {
    library = try SampleLibrary(
      [
        .init(id: 1, name: "beach", fileName: "IMG_1.jpg", bytes: Self.picture(1)),
        .init(id: 2, category: 2, name: "tram", fileName: "IMG_2.jpg", bytes: Self.picture(2)),
        .init(
          id: 7, category: 2, name: "car", fileName: "IMG_7.jpg", createdAt: 1_600_000_000_000,
          bytes: Self.picture(7)),
        .init(asset: "sample/balloon.png", id: 9),
      ], categories: [.sample(1, "family"), .sample(2, "cars")])
  }

  /// Returns bytes that begin like a JPEG.
  static func picture(_ number: UInt8) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: number, count: 500 + Int(number))
  }

  @discardableResult
  func export(as name: String = "archive.zip", configure: (inout ExportOptions) -> Void = { _ in })
    async throws
    -> FilePath
  {
    try await library.exporting(to: scratch.path.appending(name), configure: configure)
    return scratch.path.appending(name)
  }

  /// Deletes the database with its log.
  func loseDatabase() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: library.path.string)
    where name.hasPrefix("library.sqlite") {
      try FileManager.default.removeItem(atPath: library.path.appending(name).string)
    }
  }

  /// Exports the library, deletes the database, and returns what the library had.
  @discardableResult
  func loseExportedDatabase() async throws -> LibraryContents {
    let contents = try library.contents
    try await export()
    try loseDatabase()
    return contents
  }

  /// Makes the database unusable by a wrong index, which loses no row.
  func forgeIndex() throws {
    try ForgedDatabase.execute("CREATE INDEX odd ON photo(name)", in: database)
  }

  /// Deletes the file of a photo.
  func removeFile(of id: Int64, in contents: LibraryContents) throws {
    try FileManager.default.removeItem(atPath: path(of: id, in: contents).string)
  }

  /// Changes the bytes of the database.
  func damageDatabase(_ change: (inout [UInt8]) -> Void) throws {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database.string)))
    change(&bytes)
    try Data(bytes).write(to: URL(fileURLWithPath: database.string))
  }

  @discardableResult
  func rebuild(
    from archives: [FilePath]? = nil, configure: (inout RebuildOptions) -> Void = { _ in }
  ) async throws -> RebuildSummary {
    var options = RebuildOptions()
    options.archives = archives ?? [archive]
    options.authorization = .given
    configure(&options)
    return try await Work.rebuild(library.path, options: options).summary
  }

  func path(of id: Int64, in contents: LibraryContents) throws -> FilePath {
    library.file(of: try #require(contents.photos.first { $0.id == id }))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    let file = library.path.appending(FilePath(name).components)
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file.string))
  }
}

extension LibraryContents {
  /// The contents without the values of a record that belong to one database.
  var withoutDates: LibraryContents {
    var contents = self
    (contents.settings.createdAt, contents.settings.changedAt) = (0, 0)
    return contents
  }
}
