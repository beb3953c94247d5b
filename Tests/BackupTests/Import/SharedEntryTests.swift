import TestSupport
import Testing

@testable import Backup

/// Photos that all say that one entry is theirs.
struct SharedEntryTests {
  @Test func anEntryIsOnePhotosOnly() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b", "c"])
    // the apps find the file by this name where the other leads nowhere
    for index in 0...2 {
      backup.metadata.photoManifest[index].zipEntryName = "nowhere/\(index)"
      backup.metadata.photoManifest[index].fileName = backup.metadata.photoManifest[0].fileName
    }
    backup.members.removeLast(2)
    let summary = try await library.importing(backup.write(to: scratch))
    #expect(summary.photosImported == 1 && summary.photosAbsent == 2)
    #expect(summary.errors.map(\.item) == ["photo 2 “b” in “Family”", "photo 3 “c” in “Family”"])
    #expect(summary.errors.first?.message.contains("is another photo's too") == true)
  }

  @Test func itIsThePhotosThatNamesIt() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.metadata.photoManifest[0].zipEntryName = "nowhere"
    backup.metadata.photoManifest[0].fileName = backup.metadata.photoManifest[1].fileName
    backup.members.removeFirst()
    let summary = try await library.importing(backup.write(to: scratch))
    #expect(summary.errors.map(\.item) == ["photo 1 “a” in “Family”"])
    #expect(try library.bytesOfPhotos() == [2: Array("b".utf8)])
  }
}
