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
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
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

  @Test(
    "Import: a file of the library with another size is reported and stays, since it may have been edited")
  func changedFile() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let backup = try SampleBackup(photos: ["first photo", "second photo"]).write(to: scratch)
    try await library.importing(backup)
    let photo = try #require(try library.contents.photos.first)
    let file = URL(fileURLWithPath: library.file(of: photo).string)
    try Data("first".utf8).write(to: file)
    for isDryRun in [true, false] {
      let summary = try await library.importing(backup) { $0.isDryRun = isDryRun }
      #expect(summary.photoFilesWritten == 0)
      #expect(summary.isIncomplete)
      #expect(summary.findings.map(\.item) == ["photo 1 “first photo” in “Family”"])
      #expect(summary.findings.first?.remedy == .repairLibrary)
    }
    #expect(try Data(contentsOf: file) == Data("first".utf8))
  }
}
