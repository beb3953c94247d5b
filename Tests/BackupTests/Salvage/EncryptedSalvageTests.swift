import FileSystem
import Foundation
import PhotoLibrary
import Secrets
import TestSupport
import Testing

@testable import Backup

/// An encrypted archive that lost its end, or whose metadata is damaged, still holds whole photos for whoever has the
/// password.
struct EncryptedSalvageTests {
  private let scratch: ScratchFolder
  private let archive: [UInt8]
  private let photos: [[UInt8]]
  private static let password = Secret("a good long password")

  init() async throws {
    scratch = try ScratchFolder()
    var backup = SampleBackup()
    for id in 1...4 {
      backup.add(id: Int64(id), name: "p\(id)", bytes: [UInt8](repeating: UInt8(id), count: 900))
    }
    photos = (1...4).map { [UInt8](repeating: UInt8($0), count: 900) }
    let library = try await SampleLibrary.imported(backup)
    let summary = try await library.exporting(to: scratch.path.appending("x.zip")) {
      $0.password = Self.password
    }
    archive = Array(try Data(contentsOf: URL(fileURLWithPath: try #require(summary.archive).string)))
  }

  private func salvaged(_ bytes: [UInt8], password: Secret? = Self.password) async throws -> Set<[UInt8]> {
    let library = try SampleLibrary()
    let path = try scratch.write(bytes, to: "damaged.zip")
    let summary = try await library.importing(path) {
      $0.salvages = true
      $0.password = password
    }
    #expect(summary.isIncomplete)
    expectNone(try library.faults())
    return Set(try library.bytesOfPhotos().values)
  }

  @Test func whatIsWholeBeforeTheCutComesBack() async throws {
    // each entry: header, salt, check value, 900 bytes, code; nothing else stands before the metadata
    for cut in stride(from: archive.count - 40, to: 2000, by: -331) {
      let whole = try await salvaged(Array(archive.prefix(cut)))
      #expect(whole.isSubset(of: Set(photos)))
      #expect(whole.count >= min(4, cut / 1000 - 1), "cut at \(cut)")
    }
  }

  @Test func damagedMetadataCostsNoPhoto() async throws {
    let name = Array("metadata.json".utf8)
    let place = try #require((0..<archive.count).first { archive[$0...].starts(with: name) })
    var bytes = archive
    bytes[place + 100] ^= 1
    #expect(try await salvaged(bytes) == Set(photos))
  }

  @Test func aWrongPasswordOrNoneIsSaid() async throws {
    let cut = try scratch.write(Array(archive.prefix(archive.count - 600)), to: "cut.zip")
    let library = try SampleLibrary()
    for (password, expected) in [
      (nil, BackupError.passwordNeeded(cut)), (Secret("another one"), .wrongPassword(cut)),
    ] {
      let error = await #expect(throws: BackupError.self) {
        _ = try await library.importing(cut) {
          $0.salvages = true
          $0.password = password
        }
      }
      #expect(error?.description == expected.description)
    }
  }
}
