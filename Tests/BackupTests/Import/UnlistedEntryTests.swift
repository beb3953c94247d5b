import PhotoLibrary
import TestSupport
import Testing

@testable import Backup

/// Entries that the manifest does not list. The import matches them with photos by their names, and reports the
/// others.
struct UnlistedEntryTests {
  @Test(
    "Import: an unlisted entry is matched with a photo by its name, with a warning",
    arguments: ["photos/2_b.jpg", "photos/b.jpg"])
  func matchingName(name: String) async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.metadata.photoManifest.removeLast()
    backup.members[1] = .stored(name, "b")
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosImported == 2)
    #expect(summary.photosNotImported == 0)
    #expect(summary.warnings == ["\(name) is not in the manifest; its name is that of photo 2"])
    #expect(try library.bytesOfPhotos() == backup.photos)
    expectNone(try library.faults())
  }

  @Test("Import: a photo whose file name is that of another photo's entry is missing")
  func nameOfAnotherPhoto() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.metadata.photoManifest.removeLast()
    backup.metadata.photos[1].path = "/x/1_a.jpg"
    backup.members.removeLast()
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosImported == 1)
    #expect(summary.photosNotImported == 1)
    #expect(try library.bytesOfPhotos() == [1: backup.photos[1]])
  }

  @Test("Import: an unknown entry is reported and not imported")
  func unknownEntry() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a"])
    backup.members.append(.stored("photos/x.jpg", "x"))
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.warnings == ["photos/x.jpg is an unknown entry and was not imported"])
  }

  @Test("Import: unlisted photos that share an ID are matched by their names")
  func sharedID() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.metadata.photos[1].id = 1
    backup.metadata.photoManifest = []
    backup.members[1] = .stored("photos/1_b.jpg", "b")
    let summary = try await library.importing(try backup.write(to: scratch))
    #expect(summary.photosImported == 2)
    #expect(summary.photosNotImported == 0)
    #expect(try Set(library.bytesOfPhotos().values) == [Array("a".utf8), Array("b".utf8)])
  }
}
