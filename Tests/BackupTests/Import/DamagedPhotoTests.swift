import Checksums
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Backups with corrupt or missing photos. The import reports these photos and imports the others.
@Suite struct DamagedPhotoTests {
  /// A change to the second of three photos, and a text that the message about this photo contains.
  struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var mentions: String
    var damage: @Sendable (inout SampleBackup) -> Void
  }

  static let faults: [Fault] = [
    Fault(testDescription: "the entry is missing", mentions: "photos/2_b.jpg is not in the archive") {
      $0.members.remove(at: 1)
    },
    Fault(testDescription: "the MD5 differs", mentions: "MD5") {
      $0.metadata.photoManifest[1].checksum = String(repeating: "0", count: 32)
    },
    Fault(testDescription: "the CRC is wrong", mentions: "checksum") { backup in
      backup.members[1].both { $0.crc32 ^= 1 }
    },
    Fault(testDescription: "a byte has flipped", mentions: "checksum") { $0.members[1].data[0] ^= 1 },
    Fault(testDescription: "a byte has flipped, and no MD5 is given", mentions: "checksum") {
      $0.members[1].data[0] ^= 1
      $0.metadata.photoManifest[1].checksum = nil
    },
    Fault(testDescription: "the deflated data is invalid", mentions: "data") { backup in
      backup.members[1] = .deflated("photos/2_b.jpg", "b")
      backup.members[1].data[0] = 0xFF
    },
    Fault(testDescription: "the data inflates to more than its size", mentions: "longer than") { backup in
      backup.members[1] = .deflated("photos/2_b.jpg", String(repeating: "b", count: 5000))
      backup.members[1].both { $0.size = 1 }
    },
  ]

  @Test("Import: a corrupt or missing photo is reported and the others are imported", arguments: faults)
  func otherPhotos(_ fault: Fault) async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b", "c"])
    fault.damage(&backup)
    let path = try backup.write(to: scratch)
    for expected in [(imported: 2, skipped: 0), (imported: 0, skipped: 2)] {
      let summary = try await library.importing(path)
      #expect(summary.photosImported == expected.imported)
      #expect(summary.photosSkipped == expected.skipped)
      #expect(summary.photoFilesWritten == expected.imported)
      #expect(summary.errors.count == 1)
      #expect(summary.photosNotImported == 1)
      #expect(summary.isIncomplete)
      #expect(summary.errors.first?.item == "photo 2 “b” in “Family”")
      #expect(summary.errors.first?.message.contains(fault.mentions) == true)
    }
    #expect(try library.contents.photos.map(\.name) == ["a", "c"])
    expectNone(try library.faults())
  }

  @Test("Replace: a backup with a corrupt or missing photo is refused unless forced", arguments: faults)
  func replacement(_ fault: Fault) async throws {
    let scratch = ScratchFolder()
    let library = try SampleLibrary(
      [.init(id: 9, fileName: "old.jpg", bytes: [1])], categories: [.sample(1, "old")])
    var backup = SampleBackup(photos: ["a", "b", "c"])
    fault.damage(&backup)
    let path = try backup.write(to: scratch)
    let tree = try library.tree
    let error = await #expect(throws: BackupError.self) {
      try await library.importing(path) { $0.strategy = .replace }
    }
    #expect(error?.description.contains("photo 2 “b”") == true)
    expectNone(try library.tree.differences(from: tree))

    let summary = try await library.importing(path) {
      $0.strategy = .replace
      $0.isForced = true
    }
    #expect(summary.photosImported == 2)
    #expect(summary.photosNotImported == 1)
    #expect(summary.isIncomplete)
    #expect(try library.contents.photos.map(\.id) == [1, 3])
    expectNone(try library.faults())
  }

  @Test("Import: a photo that the library has may be missing in the backup")
  func missingEntry() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b", "c"])
    try await library.importing(try backup.write(to: scratch, as: "whole.zip"))
    backup.members.remove(at: 1)
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosImported == 0)
    #expect(summary.photosSkipped == 3)
    #expect(!summary.isIncomplete)
    let replaced = try await library.importing(scratch.path.appending("backup.zip")) {
      $0.strategy = .replace
    }
    #expect(replaced.photosSkipped == 3)
    #expect(!replaced.isIncomplete)
    #expect(try library.bytesOfPhotos() == backup.photos)
  }

  @Test("Import: a wrong file size is only a warning")
  func wrongSize() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a"])
    backup.metadata.photoManifest[0].fileSize = 4711
    backup.metadata.photos[0].fileSize = 4711
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosImported == 1)
    #expect(!summary.isIncomplete)
    try #require(summary.warnings.count == 1)
    #expect(summary.warnings[0].contains("4711"))
    #expect(try library.contents.photos.map(\.fileSize) == [1])
  }

  /// The library keeps the size that the backup states for a photo that was corrupt before the backup.
  @Test("Import: the library can be verified after an import of impossible file sizes")
  func impossibleSizes() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    for index in 0..<2 {
      backup.metadata.photos[index].fileSize = .max
      backup.metadata.photoManifest[index].expectedChecksum = MD5Digest(of: [UInt8(index)]).description
    }
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosImported == 2)
    #expect(try await Work.verify(library: library.path).summary.damaged.count == 2)
    #expect(try Library(path: library.path).totals().photos == 2)
  }

  @Test("Import: system files are ignored, invalid manifest entries are reported")
  func systemFiles() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a"])
    backup.members += [
      .stored("__MACOSX/photos/._1_a.jpg", "x"), .stored("__MACOSX/._metadata.json", "x"),
      .directory("photos/"),
      .stored("thumbnails/thumb_1_a.jpg", "x"), .stored("categories.json", "{}"), .stored(".DS_Store", "x"),
    ]
    backup.metadata.photoManifest[0].checksum = "no MD5"
    backup.metadata.photoManifest.append(
      Metadata.ManifestEntry(
        photoId: 77, originalPath: "", zipEntryName: "photos/x", fileName: "x", fileSize: 0))
    let path = try backup.write(to: scratch)
    let summary = try await library.importing(path)
    #expect(summary.photosImported == 1)
    let message =
      "photos/x: the manifest lists it for photo 77, which does not exist; the file was skipped"
    #expect(summary.errors.map(\.message) == [message])
    #expect(summary.warnings.count == 1)
    #expect(summary.warnings.contains { $0.contains("not an MD5") })
    expectNone(try OpenedBackup(path: path).unknownEntries)
  }

  @Test("Import: entry names match in different Unicode normalization forms")
  func unicodeNormalization() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["caf\u{E9}"])
    backup.members = [.stored("photos/1_cafe\u{301}.jpg", "caf\u{E9}")]
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosImported == 1)
    #expect(!summary.isIncomplete)
    #expect(summary.warnings == [])
  }

  @Test("Damaged photo: the bytes come from an equal photo of the backup")
  func equalPhoto() async throws {
    var backup = SampleBackup(photos: ["one", "two"])
    backup.add(id: 3, name: "three", bytes: try #require(backup.photos[1]))
    backup.members[0].data[0] ^= 1
    let scratch = ScratchFolder()
    let path = try backup.write(to: scratch)
    let library = try SampleLibrary()
    let summary = try await library.importing(path)
    #expect(summary.photosImported == 3)
    #expect(summary.errors == [])
    #expect(summary.warnings.count { $0.contains("an equal photo of the backup was used") } == 1)
    #expect(Array(summary.damagedArchives.keys) == [path])
    let expected = [1, 2, 3].map { id in backup.photos[id].map { MD5Digest(of: $0) } }
    #expect(try library.contents.photos.map(\.md5) == expected)
  }
}
