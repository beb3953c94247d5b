import FileSystem
import Foundation
import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

/// A photo whose file somebody has removed from the library comes back with a backup that has it.
struct LostFileTests {
  @Test(arguments: [ImportStrategy.merge, .skip])
  func aLostFileComesBack(strategy: ImportStrategy) async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    let backup = try SampleBackup(photos: ["a", "b"]).write(to: scratch)
    try await library.importing(backup)
    let (contents, bytes) = (try library.contents, try library.bytesOfPhotos())
    try FileManager.default.removeItem(atPath: library.path.appending("photos").string)
    let summary = try await library.importing(backup) { $0.strategy = strategy }
    #expect(summary.photosImported == 0 && summary.photosSkipped == 2 && summary.photoFilesRestored == 2)
    #expect(summary.warnings.count == 2)
    #expect(summary.warnings.first?.hasPrefix("photo 1 “a” in “Family”: its file was gone") == true)
    #expect(try library.contents == contents)
    #expect(try library.bytesOfPhotos() == bytes)
    expectNone(try library.faults())
    // and nothing more to do
    #expect(try await library.importing(backup).photoFilesRestored == 0)
  }
}
