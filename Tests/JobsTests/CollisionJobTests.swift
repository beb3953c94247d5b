import Backup
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Jobs

/// Jobs of two photos with equal MD5s, sizes and categories, and different bytes.
struct CollisionJobTests {
  private static func library(_ photos: [[UInt8]]) throws -> SampleLibrary {
    let members = photos.enumerated().map { index, bytes in
      SampleLibrary.Member(id: Int64(index + 1), fileName: "x\(index).jpg", bytes: bytes)
    }
    return try SampleLibrary(members, categories: [.sample(1, "family")])
  }

  @Test(
    "Restore test: one of two photos with one MD5 that is restored twice is a failure",
    arguments: [
      ([MD5Collision.one, MD5Collision.other], 0), ([MD5Collision.other, MD5Collision.one], 0),
      ([MD5Collision.one, MD5Collision.one], 1), ([MD5Collision.other, MD5Collision.other], 1),
    ])
  func comparison(restored: [[UInt8]], failures: Int) throws {
    let original = try Self.library([MD5Collision.one, MD5Collision.other])
    let scratch = try Self.library(restored)
    // their folders are removed with them
    defer { withExtendedLifetime((original, scratch)) {} }
    let live = try Library(path: original.path)
    let (contents, tags) = try live.contentsAndTags()
    var comparison = RestoreComparison(
      scratch: try Library(path: scratch.path), live: live, contents: contents, tags: tags, isCurrent: true,
      counter: ProgressCounter())
    try comparison.run(missingBefore: [:], hasFailed: false)
    #expect(comparison.result.failures.count == failures)
    #expect(comparison.result.identical == 2 - failures)
  }

  @Test(
    "Restore test: a library file that was exchanged for another photo of the archive is damaged",
    arguments: [false, true])
  func exchangedForOther(isOtherRemoved: Bool) async throws {
    let live = try SampleLibrary()
    let folder = try ScratchFolder()
    var options = AddOptions()
    options.category = "family"
    for (index, bytes) in [MD5Collision.one, MD5Collision.other].enumerated() {
      let file = try folder.write(bytes, to: "x\(index).jpg")
      _ = try await Work.add([file], to: live.path, options: options).summary
    }
    let backup = folder.path.appending("both.zip")
    _ = try await Work.export(live.path, to: backup).summary
    let scratch = try SampleLibrary()
    _ = try await Work.import([backup], into: scratch.path, options: ImportOptions()).summary
    if isOtherRemoved {
      var options = RemoveOptions()
      options.authorization = .given
      var selection = LibrarySelection()
      selection.ids = [2]
      _ = try await Work.remove(selection, from: live.path, options: options).summary
    }
    for photo in try live.contents.photos {
      try Data(MD5Collision.other).write(to: URL(fileURLWithPath: live.file(of: photo).string))
    }
    let library = try Library(path: live.path)
    let (contents, tags) = try library.contentsAndTags()
    var comparison = RestoreComparison(
      scratch: try Library(path: scratch.path), live: library, contents: contents, tags: tags,
      isCurrent: !isOtherRemoved, counter: ProgressCounter())
    try comparison.run(missingBefore: [:], hasFailed: false)
    #expect(comparison.result.failures == [])
    #expect(comparison.result.damagedInLibrary.count == 1)
  }

  @Test("Restore test: the archives of both photos with one MD5 pass", arguments: [true, false])
  func passes(isIncremental: Bool) async throws {
    var night = try Night("incremental: \(isIncremental)")
    for (day, bytes) in [MD5Collision.one, MD5Collision.other].enumerated() {
      night.on(day: day + 1)
      try night.library.change(adding: [.init(id: Int64(7 + day), fileName: "x\(day).jpg", bytes: bytes)])
      _ = try await night.backup()
      #expect(try await night.drill().hasPassed)
    }
  }

  @Test("Backup: a photo that replaced another one with its ID and MD5 is stored", arguments: [true, false])
  func replacedPhoto(isIncremental: Bool) async throws {
    var night = try Night("incremental: \(isIncremental)")
    try night.library.change(adding: [.init(id: 7, fileName: "x.jpg", bytes: MD5Collision.one)])
    _ = try await night.backup()
    var edit = LibraryEdit()
    edit.removedPhotos = [7]
    try night.library.change(edit)
    try night.library.change(adding: [.init(id: 7, fileName: "x.jpg", bytes: MD5Collision.other)])
    night.on(day: 2)
    let run = try await night.backup()
    #expect(run.destinations[0].isNew)
    #expect(try await night.drill().hasPassed)
    night.on(day: 3)
    #expect(try await night.backup().destinations[0].isNew == false)
  }

  @Test("Backup: a photo that is added to a category that the job does not select needs no new archive")
  func otherCategory() async throws {
    var night = try Night("categories: [family]")
    var edit = LibraryEdit()
    edit.newCategories = [.sample(2, "other")]
    try night.library.change(edit)
    _ = try await night.backup()
    try night.library.change(adding: [
      .init(id: 7, category: 2, fileName: "x.jpg", bytes: MD5Collision.one)
    ])
    night.on(day: 2)
    #expect(try await night.backup().destinations[0].isNew == false)
  }

  /// Adds a photo with a content tag, of which another photo has the MD5.
  ///
  /// - Returns: the path of its file.
  private func addPhoto(to night: Night) async throws -> String {
    let file = try night.scratch.write(MD5Collision.one, to: "x.jpg")
    var options = AddOptions()
    options.category = "Family"
    _ = try await Work.add([file], to: night.library.path, options: options).summary
    let photo = try #require(try night.library.contents.photos.last)
    return night.library.file(of: photo).string
  }

  @Test(
    "Backup: a file that was exchanged for a photo with its MD5 is reported, and nothing is pruned",
    arguments: [true, false])
  func exchangedFile(isIncremental: Bool) async throws {
    var night = try Night("incremental: \(isIncremental)", "retention: {keep-last: 1}")
    let file = try await addPhoto(to: night)
    #expect(try await night.backup().outcome == .done)
    try Data(MD5Collision.other).write(to: URL(fileURLWithPath: file))
    // the second of these runs needs no new archive
    for day in 2...3 {
      night.on(day: day)
      let run = try await night.backup()
      #expect(run.outcome == .incomplete)
      #expect(run.missing.count == 1)
      #expect(run.destinations[0].isNew == (day == 2))
    }
    let first = try #require(night.archives("one").min { $0.date < $1.date })
    let restored = try await Self.restore(first.path)
    #expect(restored.contains(MD5Collision.one))
    try Data(MD5Collision.one).write(to: URL(fileURLWithPath: file))
    night.on(day: 4)
    #expect(try await night.backup().outcome == .done)
    let newest = try #require(night.archives("one").max { $0.date < $1.date })
    #expect(try await Self.restore(newest.path).contains(MD5Collision.one))
  }

  /// Restores an archive. Returns the bytes of each photo.
  private static func restore(_ archive: String) async throws -> [[UInt8]] {
    let library = try SampleLibrary()
    _ = try await Work.import([FilePath(archive)], into: library.path, options: ImportOptions()).summary
    return try Array(library.bytesOfPhotos().values)
  }

  @Test("Restore test: the library's file that was exchanged is damaged, and the archive is not")
  func exchangedLibraryFile() async throws {
    var night = try Night()
    let file = try await addPhoto(to: night)
    _ = try await night.backup()
    try Data(MD5Collision.other).write(to: URL(fileURLWithPath: file))
    night.on(day: 2)
    let report = try await night.drill()
    #expect(report.results.flatMap(\.failures) == [])
    #expect(report.damagedInLibrary.count == 2)
  }
}
