import Checksums
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Photos of a damaged archive that get the bytes of another photo with the same MD5.
struct EqualPhotoTests {
  /// The damage of one photo, and that of the archive's structure.
  enum Damage: CaseIterable {
    case wrongBit, missingBytes, wrongBitAndNoDirectory, missingBytesAndNoDirectory

    func apply(to bytes: inout [UInt8], at position: Int) throws {
      switch self {
      case .wrongBit, .wrongBitAndNoDirectory: bytes[position] ^= 1
      case .missingBytes, .missingBytesAndNoDirectory: bytes.removeSubrange(position..<position + 16)
      }
      guard [.wrongBitAndNoDirectory, .missingBytesAndNoDirectory].contains(self) else { return }
      bytes.removeSubrange(try #require(bytes.firstRange(of: [0x50, 0x4B, 1, 2])).lowerBound...)
    }
  }

  private let scene: CollidingPhotos

  init() throws { scene = try CollidingPhotos() }

  /// Returns an archive with both photos of the scene, of which one is damaged.
  private func damagedArchive(_ photo: Int, _ damage: Damage) async throws -> FilePath {
    let archive = try await scene.archive(of: scene.photos[0], scene.photos[1], as: "both.zip")
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: archive.string)))
    let place = try #require(bytes.firstRange(of: scene.photos[photo].prefix(128)))
    try damage.apply(to: &bytes, at: place.lowerBound + 1000)
    return try scene.scratch.write(bytes, to: "damaged.zip")
  }

  private func imported(_ archive: FilePath, into library: SampleLibrary) async throws -> ImportSummary {
    try await library.importing(archive) { $0.salvages = true }
  }

  @Test("MD5 collision: salvage takes no photo for the damaged one", arguments: 0...1, Damage.allCases)
  func salvage(photo: Int, damage: Damage) async throws {
    let archive = try await damagedArchive(photo, damage)
    let library = try SampleLibrary()
    let summary = try await imported(archive, into: library)
    #expect(summary.photosNotImported == 1)
    #expect(try Array(library.bytesOfPhotos().values) == [scene.photos[1 - photo]])
    let both = try await scene.bring(0, into: nil, .imported)
    _ = try await scene.bring(1, into: both, .imported)
    let again = try await imported(archive, into: both)
    #expect(again.photosImported == 0)
    try scene.expectBoth(both)
  }

  @Test(
    "MD5 collision: a repair takes the damaged photo's own bytes only", arguments: 0...1, Damage.allCases)
  func repair(photo: Int, damage: Damage) async throws {
    let archive = try await damagedArchive(photo, damage)
    let twin = try await scene.archive(of: scene.photos[1 - photo], as: "twin.zip")
    var options = RepairOptions()
    options.others = [twin]
    let incomplete = try await Work.repair(archive, options: options).summary
    #expect(incomplete.photos == 1)
    #expect(incomplete.lost.count == 1)
    options.others.append(try await scene.archive(of: scene.photos[photo], as: "own.zip"))
    let complete = try await Work.repair(archive, options: options).summary
    #expect(complete.restored.count == 1)
    #expect(complete.lost == [])
    let library = try SampleLibrary()
    try await library.importing(try #require(complete.archive))
    try scene.expectBoth(library)
  }

  @Test(
    "Equal photo: a missing photo that gets the bytes of an equal one is reported",
    arguments: Damage.allCases)
  func naming(damage: Damage) async throws {
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let archive = try await scene.archive(of: bytes, bytes, as: "equal.zip")
    var damaged = Array(try Data(contentsOf: URL(fileURLWithPath: archive.string)))
    try damage.apply(to: &damaged, at: try #require(damaged.firstRange(of: bytes)).lowerBound + 1000)
    let path = try scene.scratch.write(damaged, to: "damaged.zip")
    let library = try SampleLibrary()
    let summary = try await imported(path, into: library)
    #expect(try Array(library.bytesOfPhotos().values) == [bytes, bytes])
    #expect(summary.warnings.count { $0.hasSuffix(", so an equal photo of the backup was used") } == 1)
    let repaired = try await Work.repair(path).summary
    #expect(repaired.photos == 2)
    #expect(repaired.lost == [])
    #expect(repaired.restored.count == 1)
  }
}
