import Backup
import Operations
import PhotoLibrary
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
    var comparison = RestoreComparison(
      scratch: try Library(path: scratch.path), live: live, contents: try live.contents(), isCurrent: true,
      counter: ProgressCounter())
    try comparison.run(missingBefore: [:], hasFailed: false)
    #expect(comparison.result.failures.count == failures)
    #expect(comparison.result.identical == 2 - failures)
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
}
