import FileSystem
import Foundation
import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

/// Photos whose files the user deleted from the folder of the library.
struct LostFileTests {
  @Test(
    "Import: missing files of the library are restored from the backup",
    arguments: [ImportStrategy.merge, .skip])
  func missingFiles(strategy: ImportStrategy) async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    let backup = try SampleBackup(photos: ["a", "b"]).write(to: scratch)
    try await library.importing(backup)
    let (contents, bytes) = (try library.contents, try library.bytesOfPhotos())
    try FileManager.default.removeItem(atPath: library.path.appending("photos").string)
    let summary = try await library.importing(backup) { $0.strategy = strategy }
    #expect(summary.photosImported == 0)
    #expect(summary.photosSkipped == 2)
    #expect(summary.photoFilesWritten == 2)
    #expect(summary.warnings.count == 2)
    #expect(summary.warnings.first?.hasPrefix("photo 1 “a” in “Family”: its file was missing") == true)
    #expect(try library.contents == contents)
    #expect(try library.bytesOfPhotos() == bytes)
    expectNone(try library.faults())
    // The next import has nothing to restore.
    #expect(try await library.importing(backup).photoFilesWritten == 0)
  }

  @Test("Import: a file of the library with another size is restored from the backup, and kept")
  func truncatedFile() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    let backup = try SampleBackup(photos: ["first photo", "second photo"]).write(to: scratch)
    try await library.importing(backup)
    let (contents, bytes) = (try library.contents, try library.bytesOfPhotos())
    let file = library.file(of: try #require(contents.photos.first)).string
    try Data("first".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try await library.importing(backup) { $0.isDryRun = true }.photoFilesWritten == 1)
    let summary = try await library.importing(backup)
    #expect(summary.photoFilesWritten == 1)
    #expect(
      summary.warnings == [
        "photo 1 “first photo” in “Family”: its file was corrupt in the library, and was restored"
      ])
    #expect(try library.contents == contents)
    #expect(try library.bytesOfPhotos() == bytes)
    #expect(
      try library.tree.files.keys.contains { $0.hasPrefix(".rotten/") && $0.hasSuffix("first photo.jpg") })
  }
}
