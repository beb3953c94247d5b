import ArchiveCatalog
import Checksums
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Incremental archives of two photos with equal MD5s.
struct CollisionChainTests {
  private let scene: CollidingPhotos

  init() throws { scene = try CollidingPhotos() }

  @Test("MD5 collision: incremental archives restore both photos", arguments: [0, 1])
  func incremental(first: Int) async throws {
    let library = try await scene.bring(first, into: nil, .imported)
    let folder = try scene.scratch.makeFolder("backups")
    var archives: [FilePath] = []
    for step in 0...2 {
      if step == 1 { _ = try await scene.bring(1 - first, into: library, .added) }
      let summary = try await library.exporting(to: folder) { $0.isIncremental = true }
      archives.append(try #require(summary.archive))
      #expect(summary.bytes == (step < 2 ? scene.photos[0].count : 0))
    }
    for archive in archives.dropFirst() {
      try scene.expectBoth(try await SampleLibrary.importing([archive]))
    }
  }

  @Test("MD5 collision: a full archive with both photos is the base of one that restores both")
  func fullBase() async throws {
    let library = try scene.olderLibrary(scene.photos)
    let folder = try scene.scratch.makeFolder("backups")
    try await library.exporting(to: folder)
    let summary = try await library.exporting(to: folder) { $0.isIncremental = true }
    #expect(summary.bytes == 0)
    try scene.expectBoth(try await SampleLibrary.importing([try #require(summary.archive)]))
  }

  /// Exports incrementally; returns the bytes of the photos in the archive, and the photos that it restores, by ID.
  private func export(
    _ library: SampleLibrary, to folder: FilePath
  ) async throws -> (bytes: Int, restored: [Int64: [UInt8]]) {
    let summary = try await library.exporting(to: folder) { $0.isIncremental = true }
    let restored = try await SampleLibrary.importing([try #require(summary.archive)])
    return (summary.bytes, try restored.bytesOfPhotos())
  }

  @Test("MD5 collision: a photo with the ID of a removed one is stored", arguments: [0, 1])
  func reusedID(first: Int) async throws {
    let library = try await scene.bring(first, into: nil, .added)
    let folder = try scene.scratch.makeFolder("backups")
    for photo in [first, 1 - first, first] {
      if try library.contents.photos.isEmpty { _ = try await scene.bring(photo, into: library, .added) }
      let (bytes, restored) = try await export(library, to: folder)
      #expect(bytes == scene.photos[photo].count)
      #expect(restored == [1: scene.photos[photo]])
      try await scene.remove(from: library)
    }
  }

  @Test("MD5 collision: a photo that is added again under the ID of a removed one is not stored again")
  func equalPhoto() async throws {
    let library = try await scene.bring(0, into: nil, .added)
    let folder = try scene.scratch.makeFolder("backups")
    _ = try await export(library, to: folder)
    try await scene.remove(from: library)
    _ = try await scene.bring(0, into: library, .added)
    let (bytes, restored) = try await export(library, to: folder)
    #expect(bytes == 0)
    #expect(restored == [1: scene.photos[0]])
  }

  /// Adds a photo to a second category, which gives it an ID of its own.
  private func addAgain(_ photo: Int, to library: SampleLibrary) async throws {
    var options = AddOptions()
    options.category = "Other"
    let file = try scene.scratch.write(scene.photos[photo], to: "again.jpg")
    _ = try await Work.add([file], to: library.path, options: options).summary
  }

  @Test("MD5 collision: each photo in a second category is restored with its own bytes", arguments: [0, 1])
  func secondCategory(photo: Int) async throws {
    let library = try await scene.bring(0, into: nil, .added)
    _ = try await scene.bring(1, into: library, .added)
    let folder = try scene.scratch.makeFolder("backups")
    _ = try await export(library, to: folder)
    try await addAgain(photo, to: library)
    for _ in 0...1 {
      let (_, restored) = try await export(library, to: folder)
      #expect(restored == [1: scene.photos[0], 2: scene.photos[1], 3: scene.photos[photo]])
    }
  }

  @Test("MD5 collision: a photo stored in the base keeps its bytes when the other one is archived later")
  func laterPhoto() async throws {
    let library = try await scene.bring(1, into: nil, .added)
    let folder = try scene.scratch.makeFolder("backups")
    _ = try await export(library, to: folder)
    try await addAgain(1, to: library)
    #expect(try await export(library, to: folder).bytes == 0)
    _ = try await scene.bring(0, into: library, .added)
    for _ in 0...1 {
      let (_, restored) = try await export(library, to: folder)
      #expect(restored == [1: scene.photos[1], 2: scene.photos[1], 3: scene.photos[0]])
    }
  }

  @Test("MD5 collision: a photo whose archive is missing gets no bytes of the other one", arguments: [0, 1])
  func missingBase(first: Int) async throws {
    let library = try await scene.bring(first, into: nil, .imported)
    let folder = try scene.scratch.makeFolder("backups")
    let full = try #require(try await library.exporting(to: folder) { $0.isIncremental = true }.archive)
    _ = try await scene.bring(1 - first, into: library, .added)
    for _ in 0...1 { try await library.exporting(to: folder) { $0.isIncremental = true } }
    try FileManager.default.removeItem(atPath: full.string)
    for archive in try ArchiveInventory(folder: folder).archives {
      let restored = try SampleLibrary()
      let summary = try await restored.importing(FilePath(archive.path))
      #expect(summary.photosNotImported == 1)
      try await scene.expect([1 - first], in: restored)
    }
  }

  @Test("MD5 collision: a photo that a repaired base lost gets no bytes of the other one", arguments: [0, 1])
  func repairedBase(lost: Int) async throws {
    let library = try scene.olderLibrary(scene.photos)
    let folder = try scene.scratch.makeFolder("backups")
    let full = try #require(try await library.exporting(to: folder).archive)
    try await library.exporting(to: folder) { $0.isIncremental = true }
    let newest = try #require(try await library.exporting(to: folder) { $0.isIncremental = true }.archive)
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: full.string)))
    let place = try #require(bytes.firstRange(of: scene.photos[lost].prefix(128)))
    bytes[place.lowerBound + 1000] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: full.string))
    _ = try await Work.repair(full).summary
    try FileManager.default.removeItem(atPath: full.string)
    let restored = try SampleLibrary()
    let summary = try await restored.importing(newest)
    #expect(summary.photosNotImported == 1)
    try await scene.expect([1 - lost], in: restored)
  }
}
