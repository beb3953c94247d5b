import Checksums
import Foundation
import GRDB
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Verification, repair, undo and replacement of two photos with equal MD5s.
struct CollisionRepairTests {
  private let scene: CollidingPhotos

  init() throws { scene = try CollidingPhotos() }

  @Test("MD5 collision: verify reports an exchanged file", arguments: [CollidingPhotos.Way.imported, .added])
  func verify(way: CollidingPhotos.Way) async throws {
    let library = try await scene.bring(0, into: nil, way)
    #expect(try await Work.verify(library: library.path).summary.damaged.isEmpty)
    try scene.exchange(in: library)
    let damaged = try await Work.verify(library: library.path).summary.damaged
    let md5 = MD5Digest(of: scene.photos[0])
    #expect(damaged.map(\.message).allSatisfy { $0.hasSuffix("has another photo with the same MD5 \(md5)") })
    #expect(damaged.count == 1)
  }

  @Test("MD5 collision: verify reports an exchanged file that an interrupted import had staged")
  func verifyStagedFile() async throws {
    let library = try SampleLibrary()
    let file = library.path.appending(".staging/6F9619FF-8B86-D011-B42D-00CF4FC964FF/0")
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(scene.photos[0]).write(to: URL(fileURLWithPath: file.string))
    _ = try await scene.bring(0, into: library, .imported)
    #expect(try await Work.verify(library: library.path).summary.damaged.isEmpty)
    try scene.exchange(in: library)
    #expect(try await Work.verify(library: library.path).summary.damaged.count == 1)
  }

  @Test("MD5 collision: a repair restores the photo's own bytes, and no others")
  func repair() async throws {
    let library = try await scene.bring(0, into: nil, .imported)
    let archives = [
      try await scene.archive(of: scene.photos[1], as: "other.zip"),
      try await scene.archive(of: scene.photos[0], as: "one.zip"),
    ]
    try scene.exchange(in: library)
    let none = try await Work.repairLibrary(library.path, from: [archives[0]]).summary
    #expect(none.repaired.isEmpty)
    #expect(none.damaged.count == 1)
    let summary = try await Work.repairLibrary(library.path, from: archives).summary
    #expect(summary.repaired.count == 1)
    #expect(try Array(library.bytesOfPhotos().values) == [scene.photos[0]])
  }

  @Test("MD5 collision: a repair reports an archive that has only the other photo")
  func archiveChanges() async throws {
    let library = try await scene.bring(0, into: nil, .imported)
    let archives = [
      try await scene.archive(of: scene.photos[0], as: "one.zip"),
      try await scene.archive(of: scene.photos[1], as: "other.zip"),
    ]
    try scene.exchange(in: library)
    let writer = try LibraryWriter(path: library.path)
    let counter = ProgressCounter()
    let damaged = try LibraryCheck(library: writer.library, counter: counter).unusablePhotos().damaged
    let backups = try archives.map { try OpenedBackup(path: $0) }
    let repairs = try PhotoRepairs(of: damaged, in: backups, writer.contentTagKey(), counter)
    try Data().write(to: URL(fileURLWithPath: archives[0].string))
    let outcome = try repairs.apply(writer, counter)
    #expect(outcome.failures[damaged[0].photo.id] == "\(archives[1]): it has another photo with the same MD5")
    #expect(outcome.places.isEmpty)
  }

  @Test("MD5 collision: an import does not restore a missing file from the other photo")
  func missingFile() async throws {
    let library = try await scene.bring(0, into: nil, .imported)
    let photo = try #require(try library.contents.photos.first)
    try FileManager.default.removeItem(atPath: library.file(of: photo).string)
    let other = try await scene.archive(of: scene.photos[1], as: "other.zip")
    try await library.importing(other)
    #expect(!FileManager.default.fileExists(atPath: library.file(of: photo).string))
    let one = try await scene.archive(of: scene.photos[0], as: "one.zip")
    try await library.importing(one)
    try scene.expectBoth(library)
  }

  @Test("MD5 collision: an undo and a replacement keep what verify needs")
  func tagsStay() async throws {
    let library = try await scene.bring(0, into: nil, .imported)
    try await scene.remove(from: library)
    try await scene.undo(library)
    // the photo gets another ID, and keeps its file
    let photo = SampleLibrary.Member(id: 77, fileName: "y.jpg", bytes: scene.photos[0])
    let backup = scene.scratch.path.appending("renumbered.zip")
    try await SampleLibrary([photo], categories: [.sample(1, "family")]).exporting(to: backup)
    try await library.importing(backup) { $0.strategy = .replace }
    #expect(try library.contents.photos.map(\.id) == [77])
    try scene.exchange(in: library)
    #expect(try await Work.verify(library: library.path).summary.damaged.count == 1)
  }

  @Test("MD5 collision: a repair gives each of two exchanged photos its own bytes")
  func repairBoth() async throws {
    let library = try await scene.bring(0, into: nil, .imported)
    _ = try await scene.bring(1, into: library, .imported)
    let both = try await scene.archive(of: scene.photos[1], scene.photos[0], as: "both.zip")
    let before = try library.bytesOfPhotos()
    for photo in try library.contents.photos {
      let other = before[photo.id] == scene.photos[0] ? 1 : 0
      try Data(scene.photos[other]).write(to: URL(fileURLWithPath: library.file(of: photo).string))
    }
    #expect(try await Work.verify(library: library.path).summary.damaged.count == 2)
    let summary = try await Work.repairLibrary(library.path, from: [both]).summary
    #expect(summary.repaired.count == 2)
    #expect(try library.bytesOfPhotos() == before)
    try await scene.expect([0, 1], in: library)
  }

  @Test("MD5 collision: a staged file that a crash left in a photo's place is not taken for the other photo")
  func recovery() async throws {
    let library = try SampleLibrary()
    let place = "photos/2026/01/x.jpg"
    let file = library.path.appending(FilePath(place).components)
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(scene.photos[1]).write(to: URL(fileURLWithPath: file.string))
    let database = try DatabaseQueue(path: library.path.appending("library.sqlite").string)
    try await database.write { [md5 = MD5Digest(of: scene.photos[1])] database in
      try database.execute(
        sql: "INSERT INTO fileMove (operationId, kind, source, target, md5) VALUES (?, 'add', '0', ?, ?)",
        arguments: ["6F9619FF-8B86-D011-B42D-00CF4FC964FF", place, Data(md5.bytes)])
    }
    try database.close()
    _ = try await scene.bring(0, into: library, .imported)
    try await scene.expect([0], in: library)
  }
}
