import Checksums
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Import of two photos with equal MD5s, sizes and categories, and different bytes.
struct CollisionTests {
  private let scene: CollidingPhotos

  init() throws { scene = try CollidingPhotos() }

  @Test("MD5 collision: the photos differ, and have one MD5 and size")
  func collision() {
    #expect(scene.photos[0] != scene.photos[1])
    #expect(scene.photos[0].count == scene.photos[1].count)
    #expect(MD5Digest(of: scene.photos[0]) == MD5Digest(of: scene.photos[1]))
  }

  @Test(
    "MD5 collision: a photo that is imported or added after the other is kept, in both orders",
    arguments: CollidingPhotos.Way.allCases.flatMap { first in
      [CollidingPhotos.Way.imported, .added].flatMap { second in [(0, first, second), (1, first, second)] }
    })
  func keepsBoth(first: Int, _ firstWay: CollidingPhotos.Way, _ secondWay: CollidingPhotos.Way) async throws {
    let library = try await scene.bring(first, into: nil, firstWay)
    _ = try await scene.bring(1 - first, into: library, secondWay)
    try scene.expectBoth(library)
    // each photo is recognized again
    for photo in 0...1 { _ = try await scene.bring(photo, into: library, .imported) }
    for photo in 0...1 { _ = try await scene.bring(photo, into: library, .added) }
    try scene.expectBoth(library)
  }

  @Test("MD5 collision: the strategy skip keeps both photos")
  func skip() async throws {
    let library = try await scene.bring(0, into: nil, .imported)
    _ = try await scene.bring(1, into: library, .imported, strategy: .skip)
    try scene.expectBoth(library)
  }

  @Test("MD5 collision: both photos of one archive are kept, and found again", arguments: [false, true])
  func oneArchive(isReversed: Bool) async throws {
    let order = isReversed ? [1, 0] : [0, 1]
    let both = try await scene.archive(of: scene.photos[order[0]], scene.photos[order[1]], as: "both.zip")
    let library = try await scene.bring(0, into: nil, .added)
    let first = try await library.importing(both)
    #expect(first.photosImported == 1)
    try scene.expectBoth(library)
    let again = try await library.importing(both)
    #expect(again.photosSkipped == 2)
    try scene.expectBoth(library)
  }

  @Test("MD5 collision: two archives in one command, and a dry run of it")
  func severalArchives() async throws {
    let archives = [
      try await scene.archive(of: scene.photos[0], as: "one.zip"),
      try await scene.archive(of: scene.photos[1], as: "other.zip"),
    ]
    let library = try SampleLibrary()
    let plan = try await library.importing(archives[0], archives[1]) { $0.isDryRun = true }
    #expect(plan.photosImported == 2)
    let summary = try await library.importing(archives[0], archives[1])
    #expect(summary.photosImported == 2)
    try scene.expectBoth(library)
    let again = try await library.importing(archives[0], archives[1]) { $0.isDryRun = true }
    #expect(again.photosSkipped == 2)
  }

  @Test("MD5 collision: a replacement has the photo of the backup", arguments: [true, false])
  func replace(isOlderVersion: Bool) async throws {
    let library = try await scene.bring(0, into: nil, isOlderVersion ? .ofOlderVersion : .imported)
    let other = try await scene.archive(of: scene.photos[1], as: "other.zip")
    try await library.importing(other) { $0.strategy = .replace }
    #expect(try Array(library.bytesOfPhotos().values) == [scene.photos[1]])
  }

  @Test(
    "MD5 collision: a staged file of the other photo is not used",
    arguments: [CollidingPhotos.Way.imported, .added])
  func stagedFile(way: CollidingPhotos.Way) async throws {
    let library = try SampleLibrary()
    let staged = ".staging/6F9619FF-8B86-D011-B42D-00CF4FC964FF/0"
    let file = library.path.appending(FilePath(staged).components)
    try FileManager.default.createDirectory(
      atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(scene.photos[0]).write(to: URL(fileURLWithPath: file.string))
    _ = try await scene.bring(1, into: library, way)
    #expect(try Array(library.bytesOfPhotos().values) == [scene.photos[1]])
    expectNone(try library.faults())
  }

  @Test(
    "MD5 collision: a photo that is corrupt in a backup is not replaced by the other one", arguments: 0...1)
  func corruptPhoto(photo: Int) async throws {
    let archive = try await scene.archive(of: scene.photos[0], scene.photos[1], as: "both.zip")
    let file = URL(fileURLWithPath: archive.string)
    var bytes = try Data(contentsOf: file)
    let place = try #require(bytes.range(of: Data(scene.photos[photo].prefix(128))))
    bytes[place.lowerBound + 1000] ^= 1
    try bytes.write(to: file)
    let library = try SampleLibrary()
    let summary = try await library.importing(archive)
    #expect(summary.photosNotImported == 1)
    #expect(try Array(library.bytesOfPhotos().values) == [scene.photos[1 - photo]])
  }

  @Test("MD5 collision: a photo that is corrupt in a backup is skipped with a warning if the library has it")
  func wrongClaim() async throws {
    let backup = SampleBackup(photos: ["beach", "hills"])
    let library = try SampleLibrary()
    try await library.importing(backup.write(to: scene.scratch))
    var forged = SampleBackup()
    forged.add(id: 1, name: "beach", bytes: Array("beach".utf8))
    forged.add(id: 2, name: "hills", bytes: Array("HILLS".utf8))
    forged.metadata.photoManifest = backup.metadata.photoManifest
    let summary = try await library.importing(forged.write(to: scene.scratch, as: "forged.zip"))
    #expect(summary.photosSkipped == 2)
    #expect(summary.warnings.count { $0.contains("is corrupt in the backup") } == 1)
    #expect(try library.contents.photos.count == 2)
  }

  /// The photos that the library has before a damaged backup is imported.
  enum Known: CaseIterable { case none, intact, damaged, both, bothReversed }

  @Test(
    "MD5 collision: a backup with a corrupt photo that is imported again adds nothing",
    arguments: (0...1).flatMap { damaged in Known.allCases.map { (damaged, $0) } },
    [ImportStrategy.merge, .skip, .replace])
  func importedAgain(_ scenario: (damaged: Int, known: Known), strategy: ImportStrategy) async throws {
    let (damaged, known) = scenario
    let library = try SampleLibrary()
    let order =
      switch known {
      case .none: [Int]()
      case .intact: [1 - damaged]
      case .damaged: [damaged]
      case .both: [damaged, 1 - damaged]
      case .bothReversed: [1 - damaged, damaged]
      }
    for (photo, way) in zip(order, [CollidingPhotos.Way.imported, .added]) {
      _ = try await scene.bring(photo, into: library, way)
    }
    let archive = try await scene.archive(of: scene.photos[0], scene.photos[1], as: "both.zip")
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: archive.string)))
    let place = try #require(bytes.firstRange(of: scene.photos[damaged].prefix(128)))
    bytes[place.lowerBound + 1000] ^= 1
    let path = try scene.scratch.write(bytes, to: "damaged.zip")
    let expected = known == .none || known == .intact ? [1 - damaged] : [0, 1]
    for _ in 0...2 {
      let summary = try await library.importing(path) {
        $0.strategy = strategy
        $0.isForced = true
      }
      #expect(summary.photosNotImported == 2 - expected.count)
      try await scene.expect(expected, in: library)
    }
  }

  @Test("Import: a photo with the bytes of another one is taken from an equal photo of the backup")
  func wrongBytes() async throws {
    var backup = SampleBackup()
    for id in 1...2 { backup.add(id: Int64(id), name: "hills \(id)", bytes: Array("hills".utf8)) }
    backup.members[1] = .stored("photos/2_hills 2.jpg", "HILLS")
    let library = try SampleLibrary()
    let summary = try await library.importing(backup.write(to: scene.scratch))
    #expect(try Array(library.bytesOfPhotos().values) == [Array("hills".utf8), Array("hills".utf8)])
    #expect(summary.warnings.count { $0.hasSuffix(", so an equal photo of the backup was used") } == 1)
  }
}
