import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup
@testable import Pictures

/// Galleries that are written as folders. The cache has the thumbnails, so that nothing is drawn.
@Suite struct GalleryFolderTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary
  private var folder: FilePath { scratch.path("Gallery") }

  /// A JPEG header of 300 × 200 pixels.
  private static let thumbnail: [UInt8] = [
    0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0, 200, 1, 44, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xFF, 0xD9,
  ]

  init() throws {
    library = try SampleLibrary(
      [
        SampleLibrary.Member(
          id: 1, name: "\"><script>alert(1)</script>", fileName: "a<b>.jpg", bytes: Array("one".utf8)),
        SampleLibrary.Member(id: 2, name: "two\u{202E}", fileName: "b.html", bytes: Array("two".utf8)),
        SampleLibrary.Member(
          id: 3, category: 2, fileName: "c.png", createdAt: 1_600_000_000_000, bytes: Array("three".utf8)),
      ], categories: [.sample(1, "</style><b>"), .sample(2, "pets")])
    try keepThumbnails()
  }

  private func keepThumbnails(_ thumbnail: [UInt8] = thumbnail) throws {
    let opened = try Library(path: library.path)
    let cache = try PictureCache(of: opened)
    for content in try opened.contents().photos.compactMap(\.content) {
      cache.store(.picture(Picture(width: 300, height: 200, jpeg: thumbnail, format: .jpeg)), for: content)
    }
    cache.flush()
  }

  @discardableResult
  private func write(
    to name: String = "Gallery", _ configure: (inout GalleryFolderOptions) -> Void = { _ in }
  ) async throws -> GalleryFolderSummary {
    var options = GalleryFolderOptions()
    options.originals = .copy
    options.date = Date(timeIntervalSince1970: 1_750_000_000)
    configure(&options)
    return try await Work.gallery(ofLibrary: library.path, to: scratch.path(name), options: options).summary
  }

  /// Names of the files with the bytes, as a walk through the folder finds them.
  private func files(_ name: String = "Gallery") throws -> [String: [UInt8]] {
    try FolderTree(scratch.path(name)).files.filter { !$0.key.hasSuffix("/") }
  }

  private func names(in folder: String, of name: String = "Gallery") throws -> [String] {
    try files(name).keys.filter { $0.hasPrefix("\(folder)/") }.sorted()
  }

  @Test("Gallery: a new folder has pages, thumbnails and copies")
  func newFolder() async throws {
    let summary = try await write()
    #expect(summary.photos == 3)
    #expect(summary.categories == 2)
    #expect(summary.filesWritten == 10)
    #expect(summary.drawn == 0)
    #expect(try files().count == 10)
    #expect(try names(in: "gallery").count == 3)
    #expect(
      try Set(names(in: "photos").map { try #require(files()[$0]) })
        == Set(["one", "two", "three"].map { Array($0.utf8) }))
    #expect(try names(in: "thumbnails").allSatisfy { try files()[$0] == Self.thumbnail })
  }

  @Test("Gallery: names of files have no text of the library, and only the extensions of photos")
  func fileNames() async throws {
    try await write()
    let pattern = /(photos|thumbnails|gallery)\/([0-9]+|about)-[0-9a-f]{16}\.(jpg|png|bin|html)/
    for name in try files().keys where name != "index.html" {
      #expect(name.wholeMatch(of: pattern) != nil, "\(name)")
    }
    #expect(try names(in: "photos").contains { $0.wholeMatch(of: /photos\/2-.*\.bin/) != nil })
  }

  @Test("Gallery: hostile names are text on the pages")
  func hostileNames() async throws {
    try await write()
    let pages = try files().filter { $0.key.hasSuffix(".html") }.values
    for page in pages {
      let text = String(decoding: page, as: UTF8.self)
      #expect(!text.contains("<script>alert"))
      #expect(!text.contains("</style><b>"))
      #expect(!text.contains("\u{202E}"))
    }
  }

  @Test("Gallery: a second run writes nothing")
  func secondRun() async throws {
    try await write()
    let before = try scratch.tree()
    let summary = try await write()
    #expect(summary.filesWritten == 0)
    #expect(summary.filesRemoved == 0)
    #expect(try scratch.tree() == before)
  }

  @Test("Gallery: an update gives the bytes of a new gallery")
  func update() async throws {
    try await write { $0.categories = ["pets"] }
    let summary = try await write()
    #expect(summary.filesRemoved == 2)
    try await write(to: "Other")
    #expect(try files() == files("Other"))
  }

  @Test("Gallery: files of the earlier gallery are removed")
  func removal() async throws {
    try await write()
    try await write { $0.taken.until = 1_650_000_000_000 }
    #expect(try names(in: "photos").count == 1)
    #expect(try names(in: "thumbnails").count == 1)
    #expect(try names(in: "gallery").count == 2)
  }

  @Test("Gallery: the dates select photos")
  func dates() async throws {
    #expect(try await write { $0.taken.since = 1_650_000_000_000 }.photos == 2)
    #expect(try await write { $0.taken.until = 1_650_000_000_000 }.photos == 1)
  }

  @Test(
    "Gallery: a folder with another file is refused, and unchanged",
    arguments: [
      "index.html", "mine.txt", ".mine", "photos/mine.jpg", "photos/1-0123456789abcde.jpg",
      "photos/1-0123456789abcdef.html", "gallery/1.html", "gallery/index-0123456789abcdef.html",
      "thumbnails/1-0123456789ABCDEF.jpg", "view/1-0123456789abcdef.png", "view/folder/mine.jpg",
    ], [true, false])
  func otherFile(name: String, isGallery: Bool) async throws {
    if isGallery { try await write() }
    try scratch.write("mine", to: "Gallery/\(name)")
    let unknown = name.hasPrefix("view/folder") ? "view/folder" : name
    let before = try scratch.tree()
    await #expect(throws: GalleryFolderError.unknownFile(folder.pushing(FilePath(unknown)))) {
      try await write { $0.categories = ["pets"] }
    }
    #expect(try scratch.tree() == before)
  }

  @Test("Gallery: an unfinished file of a refused folder is not removed")
  func unfinishedFile() async throws {
    for name in ["mine.txt", ".smilepile-1.unfinished", "photos/.smilepile-2.unfinished"] {
      try scratch.write("mine", to: "Gallery/\(name)")
    }
    let before = try scratch.tree()
    await #expect(throws: GalleryFolderError.self) { try await write() }
    #expect(try scratch.tree() == before)
  }

  @Test("Gallery: a gallery with the list of earlier versions is updated, and loses the list")
  func listOfEarlierVersions() async throws {
    try await write()
    try scratch.write("{\"version\" : 1}", to: "Gallery/.smilepile-gallery")
    try await write { $0.categories = ["pets"] }
    try await write(to: "Other") { $0.categories = ["pets"] }
    #expect(try files() == files("Other"))
  }

  @Test(
    "Gallery: links in the folder are not followed",
    arguments: ["photos", "index.html"])
  func links(name: String) async throws {
    try await write()
    try scratch.makeFolder("elsewhere")
    try scratch.remove("Gallery/\(name)")
    try scratch.link("Gallery/\(name)", to: scratch.path("elsewhere").string)
    await #expect(throws: (any Error).self) { try await write() }
    #expect(try files("elsewhere").isEmpty)
  }

  @Test(
    "Gallery: a file that was replaced by a link or a folder stops the run", arguments: ["link", "folder"])
  func replacedFile(kind: String) async throws {
    try await write()
    let name = try #require(try names(in: "thumbnails").first)
    try scratch.remove("Gallery/\(name)")
    switch kind {
    case "link": try scratch.link("Gallery/\(name)", to: "/etc/passwd")
    default: try scratch.makeFolder("Gallery/\(name)")
    }
    await #expect(throws: GalleryFolderError.unknownFile(folder.pushing(FilePath(name)))) {
      try await write()
    }
  }

  @Test("Gallery: two runs at once exclude each other")
  func concurrentRuns() async throws {
    try await write()
    let lock = try FolderLock(folder, exclusive: true)
    await #expect(throws: ExtractError.self) { try await write { $0.lockWait = .zero } }
    withExtendedLifetime(lock) {}
  }

  @Test("Gallery: a run waits for another one that writes the same folder")
  func waitingRun() async throws {
    try await write()
    var lock: FolderLock? = try FolderLock(folder, exclusive: true)
    let gallery = try GalleryFolder(folder, lockWait: .seconds(60)) { lock = nil }
    #expect(lock == nil)
    withExtendedLifetime(gallery) {}
  }

  @Test("Gallery: a full disk leaves the earlier gallery or the new one", arguments: [1, 2, 4, 5, 7, 8])
  func fullDisk(call: Int) async throws {
    try await write(to: "Other")
    try await write { $0.categories = ["pets"] }
    let (old, new) = (try files(), try files("Other"))
    let fault = ArmedFault(.error(.noSpace), at: call, of: [.write], persists: true, below: folder)
    let result = await Result { try await write { $0.threads = 1 } }
    fault.disarm()
    #expect(throws: FileError.self) { try result.get() }
    let left = try files()
    let whole = left["index.html"] == old["index.html"] ? old : new
    for (name, bytes) in whole { #expect(left[name] == bytes) }
    try await write()
    #expect(try files() == new)
  }

  @Test(
    "Gallery: thumbnails that are missing are written again with other bytes, also after a failure",
    arguments: [1, 2, 3])
  func rewrittenThumbnails(call: Int) async throws {
    try await write()
    for name in try names(in: "thumbnails") { try scratch.remove("Gallery/\(name)") }
    try keepThumbnails(Array(Self.thumbnail.dropLast(2)) + [0, 0xFF, 0xD9])
    let fault = ArmedFault(.error(.noSpace), at: call, of: [.write], persists: true, below: folder)
    _ = await Result { try await write { $0.threads = 1 } }
    fault.disarm()
    try await write()
    try await write(to: "Other")
    #expect(try files() == files("Other"))
    #expect(try await write().filesWritten == 0)
    try await write { $0.taken.until = 0 }
    #expect(try names(in: "thumbnails").isEmpty)
  }

  @Test("Gallery: a failure leaves no new folder")
  func failureInNewFolder() async throws {
    let fault = ArmedFault(.error(.noSpace), of: [.write], below: folder)
    await #expect(throws: FileError.self) { try await write() }
    fault.disarm()
    #expect(!scratch.has("Gallery"))
  }

  @Test("Gallery: a cancelled run leaves no start page, and the next one continues")
  func cancellation() async throws {
    let counter = ProgressCounter()
    counter.cancel()
    #expect(throws: CancellationError.self) {
      try GalleryFolderRun(folder: folder, options: GalleryFolderOptions(), counter: counter).run(
        library: library.path)
    }
    #expect(!scratch.has("Gallery/index.html"))
    #expect(try await write().photos == 3)
  }

  @Test("Gallery: a corrupt photo is left out, and reported")
  func corruptPhoto() async throws {
    let photo = try Library(path: library.path).contents().photos[0]
    try Data("rot".utf8).write(
      to: URL(fileURLWithPath: library.path.appending(FilePath(photo.path).components).string))
    let summary = try await write()
    #expect(summary.photos == 2)
    #expect(summary.errors.map(\.remedy) == [.repairLibrary])
    #expect(try names(in: "photos").count == 2)
  }

  @Test("Gallery: a missing photo is reported in each run, and an existing gallery keeps its files")
  func missingPhoto() async throws {
    try await write()
    let photo = try Library(path: library.path).contents().photos[0]
    try FileManager.default.removeItem(
      atPath: library.path.appending(FilePath(photo.path).components).string)
    for _ in 1...2 {
      let summary = try await write()
      #expect(summary.photos == 3)
      #expect(summary.errors.map(\.remedy) == [.repairLibrary])
      #expect(try names(in: "photos").count == 3)
    }
    let new = try await write(to: "New")
    #expect(new.photos == 2)
    #expect(new.errors.map(\.remedy) == [.repairLibrary])
    #expect(new.filesRemoved == 0)
  }

  @Test("Gallery: the gallery of an archive has the date of the archive")
  func dateOfArchive() async throws {
    let archive = try #require(
      try await library.exporting(to: scratch.path("a.zip")) {
        $0.date = Date(timeIntervalSince1970: 1_600_000_000)
      }
      .archive)
    var options = GalleryFolderOptions()
    options.originals = .copy
    _ = try await Work.gallery(ofArchive: archive, to: scratch.path("Gallery"), options: options).summary
    let page = String(decoding: try #require(try files()["index.html"]), as: UTF8.self)
    #expect(page.contains(", as of 2020-09-13."))
  }

  @Test("Gallery: a JSON backup is refused")
  func jsonBackup() async throws {
    let backup = try #require(
      try await library.exporting(to: scratch.path("a.json")) { $0.format = .json }.archive)
    await #expect(throws: GalleryFolderError.noPhotoFiles(backup)) {
      try await Work.gallery(ofArchive: backup, to: folder).summary
    }
    #expect(!scratch.has("Gallery"))
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
