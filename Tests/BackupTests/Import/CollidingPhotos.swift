import Checksums
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Two photos with equal MD5s, sizes and categories, and different bytes, and libraries and archives with them.
struct CollidingPhotos {
  /// The way in which a photo comes into the library.
  enum Way: CaseIterable { case imported, added, ofOlderVersion }

  let scratch: ScratchFolder
  /// The bytes of the two photos.
  let photos = [MD5Collision.one, MD5Collision.other]

  init() throws { scratch = try ScratchFolder() }

  /// A library with photos whose rows have no content tag, as those of older versions.
  func olderLibrary(_ photos: [[UInt8]]) throws -> SampleLibrary {
    let members = photos.enumerated().map { index, bytes in
      SampleLibrary.Member(id: Int64(index + 1), fileName: "x\(index).jpg", bytes: bytes)
    }
    return try SampleLibrary(members, categories: [.sample(1, "family")])
  }

  func archive(of photos: [UInt8]..., as name: String) async throws -> FilePath {
    let path = scratch.path.appending(name)
    try await olderLibrary(photos).exporting(to: path)
    return path
  }

  /// Brings a photo into a library.
  func bring(
    _ photo: Int, into library: SampleLibrary?, _ way: Way, strategy: ImportStrategy = .merge
  ) async throws -> SampleLibrary {
    switch way {
    case .ofOlderVersion:
      return try olderLibrary([photos[photo]])
    case .imported:
      let library = try library ?? SampleLibrary()
      let name = "\(photo).zip"
      let known = scratch.path.appending(name)
      let archive =
        FileManager.default.fileExists(atPath: known.string)
        ? known : try await archive(of: photos[photo], as: name)
      try await library.importing(archive) { $0.strategy = strategy }
      return library
    case .added:
      let library = try library ?? SampleLibrary()
      var options = AddOptions()
      options.category = "Family"
      let file = try scratch.write(photos[photo], to: "\(photo).jpg")
      _ = try await Work.add([file], to: library.path, options: options).summary
      return library
    }
  }

  func expectBoth(_ library: SampleLibrary, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try Set(library.bytesOfPhotos().values) == Set(photos), sourceLocation: sourceLocation)
    #expect(try library.contents.photos.count == 2, sourceLocation: sourceLocation)
    #expect(try library.contents.categories.count == 1, sourceLocation: sourceLocation)
    expectNone(try library.faults(), sourceLocation: sourceLocation)
  }

  /// Puts the other photo in the place of the only one in a library.
  func exchange(in library: SampleLibrary) throws {
    let photo = try #require(try library.contents.photos.first)
    let isFirst = try library.bytesOfPhotos()[photo.id] == photos[0]
    try Data(photos[isFirst ? 1 : 0]).write(to: URL(fileURLWithPath: library.file(of: photo).string))
  }

  /// Removes photos of a library; all if no IDs are given.
  func remove(_ ids: [Int64] = [], from library: SampleLibrary) async throws {
    var options = RemoveOptions()
    options.authorization = .given
    var selection = LibrarySelection()
    selection.ids = try ids.isEmpty ? library.contents.photos.map(\.id) : ids
    _ = try await Work.remove(selection, from: library.path, options: options).summary
  }

  @discardableResult
  func undo(_ library: SampleLibrary) async throws -> UndoSummary {
    var options = UndoOptions()
    options.authorization = .given
    return try await Work.undo(library.path, options: options).summary
  }

  /// Expects that a library has these photos, by their numbers, and that all are intact.
  func expect(
    _ numbers: [Int], in library: SampleLibrary, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try library.bytesOfPhotos().values.map { photos.firstIndex(of: $0) }
    #expect(found.compactMap(\.self).sorted() == numbers, sourceLocation: sourceLocation)
    #expect(found.count == numbers.count, sourceLocation: sourceLocation)
    expectNone(try library.faults(), sourceLocation: sourceLocation)
    let damaged = try await Work.verify(library: library.path).summary.damaged
    expectNone(damaged.map(\.message), sourceLocation: sourceLocation)
  }
}
