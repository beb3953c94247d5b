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

  private let scratch = ScratchFolder()

  @Test(
    "Equal photo: a missing photo that gets the bytes of an equal one is reported",
    arguments: Damage.allCases)
  func naming(damage: Damage) async throws {
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let members = (1...2).map { SampleLibrary.Member(id: $0, fileName: "x\($0).jpg", bytes: bytes) }
    let archive = scratch.path.appending("equal.zip")
    try await SampleLibrary(members, categories: [.sample(1, "family")]).exporting(to: archive)
    var damaged = Array(try Data(contentsOf: URL(fileURLWithPath: archive.string)))
    try damage.apply(to: &damaged, at: try #require(damaged.firstRange(of: bytes)).lowerBound + 1000)
    let path = try scratch.write(damaged, to: "damaged.zip")
    let library = try SampleLibrary()
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(try Array(library.bytesOfPhotos().values) == [bytes, bytes])
    #expect(summary.warnings.count { $0.hasSuffix(", so an equal photo of the backup was used") } == 1)
    let repaired = try await Work.repair(path).summary
    #expect(repaired.photos == 2)
    #expect(repaired.unrecoverable == [])
    #expect(repaired.restored.count == 1)
  }
}
