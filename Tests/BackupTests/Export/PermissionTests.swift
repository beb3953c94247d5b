import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// What may not be read or written. Nothing is forbidden to root.
@Suite(.enabled(if: getuid() != 0)) struct PermissionTests {
  /// Takes rights away while `body` runs; what is without them can otherwise not be removed at the end.
  private func with(
    mode: mode_t, on path: FilePath, instead: mode_t = 0o700, _ body: () async throws -> Void
  ) async throws {
    #expect(chmod(path.string, mode) == 0)
    do {
      try await body()
    } catch {
      chmod(path.string, instead)
      throw error
    }
    #expect(chmod(path.string, instead) == 0)
  }

  @Test func anUnreadablePhotoIsNamedAndTheRestTravels() async throws {
    let (library, scratch) = (
      try await SampleLibrary.imported(SampleBackup(photos: ["a", "b"])), try ScratchFolder()
    )
    let file = library.file(of: try library.contents.photos[0])
    try await with(mode: 0, on: file) {
      let summary = try await library.exporting(to: scratch.path.appending("x.zip"))
      #expect(summary.missing.count == 1 && summary.photos == 1 && summary.isIncomplete)
      #expect(summary.missing.first?.item == "photo 1 “a” in “Family”")
      let backup = try WrittenBackup(try #require(summary.archive))
      expectNone(try backup.faults())
      #expect(Array(backup.photos.keys) == [2])
    }
  }

  @Test func anUnreadableCandidateForAPhotoIsNamed() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.metadata.version = 1
    backup.metadata.photoManifest = []
    let path = try scratch.write(backup.metadata.json(), to: "x.json")
    let unreadable = try scratch.write(Array("a".utf8), to: "from/a.jpg")
    try scratch.write(Array("b".utf8), to: "from/b.jpg")
    try await with(mode: 0, on: unreadable) {
      let summary = try await library.importing(path) { $0.photosFrom = scratch.path.appending("from") }
      #expect(summary.photosImported == 1 && summary.errors.count == 1 && summary.isIncomplete)
      #expect(summary.errors.first?.message.contains("from/a.jpg") == true)
    }
  }

  @Test func aLibraryThatCannotBeWrittenIsUntouched() async throws {
    let (library, scratch) = (
      try await SampleLibrary.imported(SampleBackup(photos: ["a"])), try ScratchFolder()
    )
    let path = try SampleBackup(photos: ["a", "b"]).write(to: scratch)
    let tree = try library.tree
    for name in ["library.sqlite", "library.lock", "readers.lock"] {
      chmod(library.path.appending(name).string, 0o400)
    }
    try await with(mode: 0o500, on: library.path) {
      // SQLite's files beside the database cannot be made, which is found before the lock
      let error = await #expect(throws: LibraryError.self) { try await library.importing(path) }
      #expect(error?.description.contains(library.path.string) == true)
    }
    expectNone(try library.tree.differences(from: tree))
  }

  @Test func aFolderThatCannotBeWrittenGetsNoArchive() async throws {
    let (library, scratch) = (
      try await SampleLibrary.imported(SampleBackup(photos: ["a"])), try ScratchFolder()
    )
    try await with(mode: 0o500, on: scratch.path) {
      let error = await #expect(throws: FileError.self) { try await library.exporting(to: scratch.path) }
      #expect(error?.description.contains(scratch.path.string) == true)
    }
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  @Test func anUnreadableBackup() async throws {
    let (library, scratch) = (try SampleLibrary(), try ScratchFolder())
    let path = try SampleBackup(photos: ["a"]).write(to: scratch)
    try await with(mode: 0, on: path) {
      let error = await #expect(throws: FileError.self) { try await library.importing(path) }
      #expect(error?.path == path && error?.errno == .permissionDenied)
    }
  }
}
