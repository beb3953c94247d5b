import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Files and folders without permission to read or write. Root has every permission.
@Suite(.enabled(if: getuid() != 0)) struct PermissionTests {
  /// Changes the mode while `body` runs. Restores it afterwards, so that the temporary folder can be removed.
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

  @Test("Export: an unreadable photo is reported and the others are exported")
  func unreadablePhoto() async throws {
    let (library, scratch) = (
      try await SampleLibrary.imported(SampleBackup(photos: ["a", "b"])), ScratchFolder()
    )
    let file = library.file(of: try library.contents.photos[0])
    try await with(mode: 0, on: file) {
      let summary = try await library.exporting(to: scratch.path.appending("x.zip"))
      #expect(summary.missing.count == 1)
      #expect(summary.photos == 1)
      #expect(summary.isIncomplete)
      #expect(summary.missing.first?.item == "photo 1 “a” in “Family”")
      let backup = try WrittenBackup.intact(summary.archive)
      #expect(Array(backup.photos.keys) == [2])
    }
  }

  @Test("Import: an unreadable file in the folder of photos is reported")
  func unreadableCandidate() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    var backup = SampleBackup(photos: ["a", "b"])
    backup.metadata.version = 1
    backup.metadata.photoManifest = []
    let path = try scratch.write(backup.metadata.json(), to: "x.json")
    let unreadable = try scratch.write("a", to: "from/a.jpg")
    try scratch.write("b", to: "from/b.jpg")
    try await with(mode: 0, on: unreadable) {
      let summary = try await library.importing(path) { $0.photosFrom = scratch.path.appending("from") }
      #expect(summary.photosImported == 1)
      #expect(summary.errors.count == 1)
      #expect(summary.isIncomplete)
      #expect(summary.errors.first?.message.contains("from/a.jpg") == true)
    }
  }

  @Test("Import: a read-only library is refused and unchanged")
  func readOnlyLibrary() async throws {
    let (library, scratch) = (
      try await SampleLibrary.imported(SampleBackup(photos: ["a"])), ScratchFolder()
    )
    let path = try SampleBackup(photos: ["a", "b"]).write(to: scratch)
    let tree = try library.tree
    for name in ["library.sqlite", "library.lock", "readers.lock"] {
      chmod(library.path.appending(name).string, 0o400)
    }
    try await with(mode: 0o500, on: library.path) {
      // SQLite cannot create its files beside the database; the import fails before it takes the lock
      let error = await #expect(throws: LibraryError.self) { try await library.importing(path) }
      #expect(error?.description.contains(library.path.string) == true)
    }
    expectNone(try library.tree.differences(from: tree))
  }

  @Test("Export: a read-only folder is refused and no file is left")
  func readOnlyFolder() async throws {
    let (library, scratch) = (
      try await SampleLibrary.imported(SampleBackup(photos: ["a"])), ScratchFolder()
    )
    try await with(mode: 0o500, on: scratch.path) {
      let error = await #expect(throws: FileError.self) { try await library.exporting(to: scratch.path) }
      #expect(error?.description.contains(scratch.path.string) == true)
    }
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  @Test("Import: an unreadable backup is refused with its path")
  func unreadableBackup() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    let path = try SampleBackup(photos: ["a"]).write(to: scratch)
    try await with(mode: 0, on: path) {
      let error = await #expect(throws: FileError.self) { try await library.importing(path) }
      #expect(error?.path == path)
      #expect(error?.errno == .permissionDenied)
    }
  }
}
