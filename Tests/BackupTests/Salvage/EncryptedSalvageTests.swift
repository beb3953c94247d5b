import FileSystem
import Foundation
import PhotoLibrary
import Secrets
import TestSupport
import Testing
import Zip

@testable import Backup

/// `import --salvage` of encrypted archives that are truncated or have corrupt entries.
struct EncryptedSalvageTests {
  private let scratch = ScratchFolder()
  private let archive: [UInt8]
  private let photos: [[UInt8]]
  private static let password = Secret("a good long password")

  init() async throws {
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

  @Test("Encrypted salvage: a truncated archive yields the photos before its end")
  func truncatedArchive() async throws {
    // an entry has a header, a salt, a check value, 900 bytes and a code; the metadata comes after the photos
    for cut in stride(from: archive.count - 40, to: 2000, by: -331) {
      let found = try await salvaged(Array(archive.prefix(cut)))
      #expect(found.isSubset(of: Set(photos)))
      #expect(found.count >= min(4, cut / 1000 - 1), "cut at \(cut)")
    }
  }

  @Test("Encrypted salvage: all photos of an archive with corrupt metadata are imported")
  func corruptMetadata() async throws {
    let name = Array("metadata.json".utf8)
    let place = try #require((0..<archive.count).first { archive[$0...].starts(with: name) })
    var bytes = archive
    bytes[place + 100] ^= 1
    #expect(try await salvaged(bytes) == Set(photos))
  }

  /// Removes in turn what comes after an entry and before it. Neither the directory nor the next entry tells where the
  /// entry ends, and no metadata has its MD5.
  @Test("Encrypted salvage: the password verifies entries whose end or header is missing")
  func missingHeaders() async throws {
    let entries = try Archive(path: scratch.path.appending("x.zip")).entries
    let second = entries[1]
    let end = second.dataOffset + second.compressedSize
    // truncated after the last byte of the second entry
    #expect(try await salvaged(Array(archive[..<end])) == Set(photos[..<2]))
    // the last byte of its authentication code is wrong
    var bytes = Array(archive[..<end])
    bytes[end - 1] ^= 1
    #expect(try await salvaged(bytes) == Set(photos[..<1]))
    // the next header is overwritten
    bytes = Array(archive[..<entries[3].headerOffset])
    for index in end..<end + 30 { bytes[index] = 0xAA }
    #expect(try await salvaged(bytes) == Set(photos[..<2]))
    // the first entry claims to be longer than it is
    bytes = Array(archive[..<entries[3].headerOffset])
    bytes[entries[0].headerOffset + 19] = 8
    bytes[entries[0].headerOffset + 23] = 8
    #expect(try await salvaged(bytes) == Set(photos[1..<3]))
    // its own header is missing, the directory is intact, and the metadata is corrupt
    bytes = archive
    bytes[entries[4].dataOffset + 40] ^= 1
    for index in second.headerOffset..<second.headerOffset + 4 { bytes[index] = 0 }
    #expect(try await salvaged(bytes) == Set(photos))
  }

  @Test("Encrypted salvage: an entry that the password does not decrypt is reported once")
  func undecryptableEntry() async throws {
    let second = try Archive(path: scratch.path.appending("x.zip")).entries[1]
    var bytes = Array(archive[..<(second.dataOffset + second.compressedSize)])
    bytes[bytes.count - 1] ^= 1
    let library = try SampleLibrary()
    let summary = try await library.importing(scratch.write(bytes, to: "damaged.zip")) {
      ($0.salvages, $0.password) = (true, Self.password)
    }
    #expect(summary.errors.count { $0.item == second.name } == 1)
    #expect(summary.errors.contains { $0.message.contains("damaged, or encrypted with another password") })
  }

  /// The export names a file without an extension by its ID alone.
  @Test("Encrypted salvage: a photo without a file extension keeps its ID")
  func missingExtension() async throws {
    var backup = SampleBackup()
    for (id, name) in [(3, "three"), (70, "seventy.jpg")] {
      backup.add(id: Int64(id), name: "p\(id)", bytes: Array(name.utf8))
      let index = backup.metadata.photos.count - 1
      backup.metadata.photoManifest[index].originalPath = name
    }
    let library = try await SampleLibrary.imported(backup)
    let path = scratch.path.appending("endings.zip")
    _ = try await library.exporting(to: path) { $0.password = Self.password }
    let entries = try Archive(path: path).entries
    #expect(entries.prefix(2).map(\.name) == ["photos/3", "photos/70.jpg"])
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
    let other = try SampleLibrary()
    let cut = try scratch.write(Array(bytes[..<entries[2].dataOffset]), to: "cut.zip")
    _ = try await other.importing(cut) { ($0.salvages, $0.password) = (true, Self.password) }
    #expect(try other.contents.photos.map(\.id) == [3, 70])
    #expect(try other.bytesOfPhotos()[3] == Array("three".utf8))
  }

  @Test("Encrypted salvage: a missing password and a wrong password are different errors")
  func passwordErrors() async throws {
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
