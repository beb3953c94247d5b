import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

/// Entries that the manifest does not name: one that by its name is a photo's file is taken for it, another is named.
struct UnlistedEntryTests {
  @Test(arguments: ["photos/2_b.jpg", "photos/b.jpg"])
  func aPhotoIsFoundByItsName(name: String) async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.metadata.photoManifest.removeLast()
    backup.members[1] = .stored(name, "b")
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosImported == 2 && summary.photosAbsent == 0)
    #expect(summary.warnings == ["\(name): the manifest does not name it; by its name it is photo 2's file"])
    #expect(try library.bytesOfPhotos() == backup.photos)
    expectNone(try library.faults())
  }

  @Test func aPhotoWhoseFileIsAnothersIsAbsent() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.metadata.photoManifest.removeLast()
    backup.metadata.photos[1].path = "/x/1_a.jpg"
    backup.members.removeLast()
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosImported == 1 && summary.photosAbsent == 1)
    #expect(try library.bytesOfPhotos() == [1: backup.photos[1]])
  }

  @Test func anEntryOfNoPhotoIsNamed() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    var backup = SampleBackup(photos: ["a"])
    backup.members.append(.stored("photos/x.jpg", "x"))
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.warnings == ["photos/x.jpg is mentioned nowhere, and was not imported"])
  }

  @Test("Import: photos that share an id are found by their names where the manifest lists none of them")
  func sharedID() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.metadata.photos[1].id = 1
    backup.metadata.photoManifest = []
    backup.members[1] = .stored("photos/1_b.jpg", "b")
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosImported == 2)
    #expect(summary.photosAbsent == 0)
    #expect(try Set(library.bytesOfPhotos().values) == [Array("a".utf8), Array("b".utf8)])
  }
}
