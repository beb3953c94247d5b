import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

struct CreateTests {
  let folder = ScratchFolder()

  private var path: FilePath { folder.path("library") }

  @Test("Create: a new library is empty, private and complete")
  func newLibrary() throws {
    try Library.create(at: path, now: Date(timeIntervalSince1970: 1_759_413_600.123))
    let contents = try Library(path: path).contents()
    #expect(contents.categories.isEmpty)
    #expect(contents.photos.isEmpty)
    #expect(contents.settings == Settings(createdAt: 1_759_413_600_123))
    let names = try Set(FileManager.default.contentsOfDirectory(atPath: path.string))
    #expect(
      names.subtracting(["library.sqlite-wal", "library.sqlite-shm"]) == [
        "library.sqlite", "library.lock", "photos",
      ])
    for name in ["library", "library/photos"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name).string)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
  }

  @Test("Create: a folder with a copy of a database does not count as a library around the new one")
  func copiedDatabase() throws {
    try Library.create(at: path)
    #expect(Library.enclosing(path.appending("photos")) == FilePath(path.realPath?.string ?? ""))
    try FileManager.default.copyItem(
      atPath: path.appending("library.sqlite").string, toPath: folder.path("library.sqlite").string)
    #expect(Library.enclosing(folder.path) == nil)
    try Library.create(at: folder.path("second"))
  }

  @Test("Create: an empty folder becomes a library")
  func emptyFolder() throws {
    try folder.makeFolder("library")
    #expect(chmod(path.string, 0o755) == 0)
    try Library.create(at: path)
    #expect(try Library(path: path).contents().photos.isEmpty)
    for name in ["library.sqlite", "library.lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("library/" + name).string)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test("Create: the path may have any form", arguments: ["library/.", "link", "library/../library"])
  func formsOfPath(name: String) throws {
    try folder.makeFolder("library")
    try folder.link("link", to: "library")
    try Library.create(at: folder.path(name))
    #expect(try Library(path: path).contents().photos.isEmpty)
  }

  @Test("Create: an existing library is refused")
  func existingLibrary() throws {
    try Library.create(at: path)
    let before = try folder.tree()
    #expect(throws: LibraryError.alreadyALibrary(path)) { try Library.create(at: path) }
    #expect(try folder.tree() == before)
  }

  @Test(
    "Create: a folder that is not empty is refused",
    arguments: ["notes.txt", "photos/2019/beach.jpg", "photos/beach.jpg", ".hidden", "photo/x"])
  func nonemptyFolder(name: String) throws {
    try folder.write("mine", to: "library/" + name)
    let before = try folder.tree()
    #expect(throws: LibraryError.folderNotEmpty(path)) { try Library.create(at: path) }
    #expect(try folder.tree() == before)
  }

  @Test("Create: a symbolic link named photos is refused", arguments: ["elsewhere", "nowhere"])
  func linkedPhotos(target: String) throws {
    try folder.makeFolder("library")
    try folder.makeFolder("elsewhere")
    try folder.link("library/photos", to: "../" + target)
    let before = try folder.tree()
    #expect(throws: LibraryError.folderNotEmpty(path)) { try Library.create(at: path) }
    #expect(try folder.tree() == before)
  }

  @Test("Create: a file is refused")
  func file() throws {
    try folder.write("file", to: "library")
    #expect(throws: FileError("open", path, .notDirectory)) { try Library.create(at: path) }
    #expect(try folder.tree() == ["library": .file(Data("file".utf8))])
  }

  @Test("Create: a missing parent folder is an error")
  func missingParent() throws {
    #expect(throws: FileError("open", folder.path("none"), .noSuchFileOrDirectory)) {
      try Library.create(at: folder.path("none/library"))
    }
    #expect(try folder.tree() == [:])
  }

  @Test(
    "Create: it can be repeated after an interruption",
    arguments: [
      [], ["library.lock"], ["library.lock", "photos/"], ["library.lock", "photos/", "library.sqlite.new"],
      ["photos/", "library.sqlite.new", "library.sqlite.new-wal", "library.sqlite.new-shm", "library.lock"],
    ])
  func repetition(left: [String]) throws {
    try folder.makeFolder("library")
    for name in left {
      if name.hasSuffix("/") {
        try folder.makeFolder("library/" + name)
      } else {
        try folder.write("half a database", to: "library/" + name)
      }
    }
    #expect(throws: LibraryError.notALibrary(path)) { _ = try Library(path: path) }
    try Library.create(at: path)
    #expect(try Library(path: path).contents().photos.isEmpty)
    #expect(!folder.has("library/library.sqlite.new"))
    #expect(try LibraryWriter(path: path).library.untrackedFiles() == [])
  }

  @Test("Create: two concurrent calls make one library")
  func concurrency() async throws {
    let path = path
    let made = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { (try? Library.create(at: path)) != nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(made == 1)
    #expect(try LibraryWriter(path: path).library.untrackedFiles() == [])
  }

  @Test("Create: a second call does not disturb one that runs")
  func lock() throws {
    try folder.write("half", to: "library/library.sqlite.new")
    let lock = try FileLock("library.lock", in: Directory.open(path), exclusive: true)
    let before = try folder.tree()
    #expect(throws: FileLock.Busy.self) { try Library.create(at: path) }
    #expect(try folder.tree() == before)
    lock.release()
  }
}
