import FileSystem
import Foundation
import Glibc
import Operations
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// Which of the given files are photos.
struct PhotoSearchTests {
  let folder = ScratchFolder()

  init() throws {
    try folder.write(AddTests.png("1"), to: "in/a.png")
  }

  private func search(_ names: String...) -> PhotoSearch { PhotoSearch(names.map { folder.path($0) }) }

  private func names(_ search: PhotoSearch) -> [String] {
    search.photos.map { String($0.path.string.dropFirst(folder.path.string.count + 1)) }
  }

  @Test("Search: hidden files and folders and links in a folder are left out and reported")
  func hiddenFilesAndLinks() throws {
    try folder.write(AddTests.png("2"), to: "in/.hidden.png")
    try folder.write(AddTests.png("3"), to: "in/.thumbnails/b.png")
    try folder.write(AddTests.png("4"), to: "outside/c.png")
    try folder.link("in/link.png", to: "../outside/c.png")
    try folder.link("in/folder", to: "../outside")
    try folder.link("in/loop", to: ".")
    try folder.link("in/dangling.png", to: "nowhere")
    let search = search("in")
    #expect(names(search) == ["in/a.png"])
    let hidden = ["in/.hidden.png", "in/.thumbnails"].map {
      "\(folder.path($0)) was skipped: it is hidden"
    }
    let links = ["in/dangling.png", "in/folder", "in/link.png", "in/loop"].map {
      "\(folder.path($0)) was skipped: it is a link or a special file"
    }
    #expect(search.warnings == hidden + links)
    #expect(search.failures.isEmpty)
  }

  @Test("Photo search: given paths may be hidden or symbolic links")
  func givenPaths() throws {
    try folder.write(AddTests.png("2"), to: "in/.hidden.png")
    try folder.link("link.png", to: "in/a.png")
    try folder.link("folder", to: "in")
    #expect(
      names(search("in/.hidden.png", "link.png", "folder")) == ["in/.hidden.png", "link.png", "folder/a.png"])
    #expect(search("folder").photos.map(\.folder) == ["folder"])
  }

  @Test("Photo search: files that are not photos are reported")
  func otherFiles() throws {
    try folder.write("text", to: "in/notes.txt")
    try folder.write("text", to: "notes.txt")
    let search = search("in", "notes.txt", "none.jpg")
    #expect(names(search) == ["in/a.png"])
    #expect(search.warnings == ["\(folder.path("in/notes.txt")) was skipped: it is not a photo"])
    #expect(
      search.failures.map(\.finding.message) == [
        "\(folder.path("notes.txt")) is not a photo or a folder",
        "cannot open \(folder.path("none.jpg")): No such file or directory (errno 2)",
      ])
  }

  @Test(
    "Photo search: a format without a known header is recognized by the extension",
    arguments: ["x.jpg", "x.JPEG", "x.dng", "x.jxl", "x.TIFF", "x.bmp"])
  func extensions(name: String) throws {
    try folder.write("raw bytes", to: "raw/" + name)
    let found = search("raw").photos
    #expect(found.map(\.size) == [9])
    #expect(found.first?.header.width == 0)
  }

  @Test(
    "Photo search: a photo is recognized by its header, whatever its name",
    arguments: ["IMG_0001", "photo.txt", "photo.bak"])
  func headers(name: String) throws {
    try folder.write(AddTests.png("x", width: 9), to: "odd/" + name)
    #expect(search("odd").photos.first?.header.width == 9)
  }

  @Test("Photo search: an empty file is recognized by the extension")
  func emptyFile() throws {
    try folder.write("", to: "empty/x.jpg")
    #expect(search("empty").photos.map(\.size) == [0])
  }

  @Test("Photo search: a named pipe is not opened")
  func pipe() throws {
    #expect(mkfifo(folder.path("in/pipe.jpg").string, 0o600) == 0)
    let search = search("in", "in/pipe.jpg")
    #expect(names(search) == ["in/a.png"])
    #expect(
      search.failures.map(\.finding.message) == ["\(folder.path("in/pipe.jpg")) is not a photo or a folder"])
  }

  @Test("Search: a photo whose name is not UTF-8 is found and reported")
  func foreignName() throws {
    let name = try #require(FilePath(bytes: [0xE9, 0x74, 0xE9, 0x2E, 0x70, 0x6E, 0x67]))
    do {
      let file = try Directory.open(folder.path("in")).open(name, .create)
      try file.write(AddTests.png("latin"), at: 0)
    }
    #expect(search("in").photos.count == 2)
    let warning = "its name is not UTF-8; the library stores “�t�.png”"
    #expect(search("in").warnings == ["\(folder.path("in"))/�t�.png: \(warning)"])
    try Library.create(at: folder.path("library"))
    let run = AddRun(library: folder.path("library"), options: AddOptions(), counter: ProgressCounter())
    #expect(try run.run([folder.path("in")]).photosAdded == 2)
    let library = try Library(path: folder.path("library"))
    #expect(try library.contents().photos.allSatisfy { try library.hasIntactFile(of: $0) })
  }

  @Test(
    "Photo search: an unreadable file is reported, and the others are found", .enabled(if: geteuid() != 0))
  func unreadableFile() throws {
    try folder.write(AddTests.png("2"), to: "in/b.png")
    try folder.write(AddTests.png("3"), to: "in/closed/c.png")
    for name in ["in/b.png", "in/closed"] { #expect(chmod(folder.path(name).string, 0) == 0) }
    defer { chmod(folder.path("in/closed").string, 0o700) }
    let search = search("in")
    #expect(names(search) == ["in/a.png"])
    #expect(
      search.failures.map(\.finding.message)
        == ["in/b.png", "in/closed"].map {
          "cannot open \(folder.path($0)): Permission denied (errno 13); check its permissions and those of its folder"
        })
  }

  @Test("Photo search: a loop of symbolic links is reported, and the others are found")
  func linkLoop() throws {
    try Library.create(at: folder.path("library"))
    try folder.write("x", to: "in/b.jpg")
    try folder.link("loop.jpg", to: "loop.jpg")
    let run = AddRun(library: folder.path("library"), options: AddOptions(), counter: ProgressCounter())
    let summary = try run.run([folder.path("loop.jpg"), folder.path("in")])
    #expect(summary.photosAdded == 2)
    #expect(
      summary.errors.map(\.message) == [
        "cannot open \(folder.path("loop.jpg")): Too many levels of symbolic links (errno 40)"
      ])
  }

  @Test("Photo search: the folder of a bare name is the working folder")
  func workingFolder() throws {
    let base = FilePath(FileManager.default.currentDirectoryPath)
    let relative = FilePath(
      String(repeating: "../", count: base.components.count) + folder.path.string.dropFirst())
    let found = PhotoSearch([relative.appending("in/../in/a.png")]).photos
    #expect(found.map(\.folder) == ["in"])
  }

  /// At each system call in the folder in turn, another user exchanges a folder in it for a link to another folder.
  @Test("Search: no link leads out of the given folder, whenever a folder in it is exchanged for one")
  func exchangedFolder() throws {
    try folder.write(AddTests.png("2"), to: "in/sub/b.png")
    try folder.write(AddTests.png("3"), to: "private/b.png")
    let path = folder.path
    @Sendable func exchange() {
      try? FileManager.default.moveItem(
        atPath: path.appending("in/sub").string, toPath: path.appending("sub").string)
      try? FileManager.default.createSymbolicLink(
        atPath: path.appending("in/sub").string, withDestinationPath: path.appending("private").string)
    }
    func restore() throws {
      guard
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path.appending("in/sub").string)) != nil
      else { return }
      try FileManager.default.removeItem(atPath: path.appending("in/sub").string)
      try FileManager.default.moveItem(
        atPath: path.appending("sub").string, toPath: path.appending("in/sub").string)
    }
    let secret = AddTests.png("3")
    var calls = 0
    for number in 1...200 {
      let fault = ArmedFault(.then(exchange), at: number, below: path)
      let photos = search("in").photos
      let contents = photos.compactMap { photo -> [UInt8]? in
        guard let file = try? photo.open(), let size = try? file.status().size else { return nil }
        return try? file.read(size, at: 0)
      }
      fault.disarm()
      #expect(!contents.contains(secret))
      try restore()
      if fault.place == nil { break }
      calls = number
    }
    #expect(calls > 10)
  }
}
