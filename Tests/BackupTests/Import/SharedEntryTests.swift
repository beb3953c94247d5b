import TestSupport
import Testing

@testable import Backup

/// Photos whose manifest entries refer to the same archive entry.
struct SharedEntryTests {
  @Test("Import: an entry shared by several photos is imported for the first one only")
  func sharedEntry() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b", "c"])
    // The apps use the file name if the archive has no entry at the path.
    for index in 0...2 {
      backup.metadata.photoManifest[index].zipEntryName = "nowhere/\(index)"
      backup.metadata.photoManifest[index].fileName = backup.metadata.photoManifest[0].fileName
    }
    backup.members.removeLast(2)
    let summary = try await library.importing(backup.write(to: scratch))
    #expect(summary.photosImported == 1)
    #expect(summary.photosNotImported == 2)
    #expect(summary.errors.map(\.item) == ["photo 2 “b” in “Family”", "photo 3 “c” in “Family”"])
    #expect(summary.errors.first?.message.contains("is also the file of another photo") == true)
  }

  @Test("Import: an entry belongs to the photo that has its path, not only its file name")
  func entryPath() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.metadata.photoManifest[0].zipEntryName = "nowhere"
    backup.metadata.photoManifest[0].fileName = backup.metadata.photoManifest[1].fileName
    backup.members.removeFirst()
    let summary = try await library.importing(backup.write(to: scratch))
    #expect(summary.errors.map(\.item) == ["photo 1 “a” in “Family”"])
    #expect(try library.bytesOfPhotos() == [2: Array("b".utf8)])
  }
}
