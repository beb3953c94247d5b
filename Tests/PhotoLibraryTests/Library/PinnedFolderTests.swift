import FileSystem
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

/// A library's folder is exchanged after it was checked.
struct PinnedFolderTests {
  private let scratch: LibraryScratch
  private var victim: FilePath { scratch.folder.path("victim") }

  init() throws {
    scratch = try LibraryScratch(["a.jpg": "a"])
    try scratch.folder.makeFolder("victim")
  }

  /// Moves the library's folder away, and puts a link to the victim's folder in its place.
  private func exchange() throws {
    try FileManager.default.moveItem(atPath: scratch.path.string, toPath: scratch.folder.path("moved").string)
    try scratch.folder.link("library", to: "victim")
  }

  private func victimFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: victim.string)
  }

  @Test("Pinned folder: a reader uses the folder that was opened, and no other one")
  func reader() throws {
    let folder = try Library.openFolder(scratch.path)
    try exchange()
    let photos = try Library(in: folder).contents().photos
    #expect(photos.map(\.name) == ["photo 1"])
    #expect(try victimFiles() == [])
  }

  @Test("Pinned folder: an export is recorded in the folder that was opened")
  func recordedExport() throws {
    let library = try Library(path: scratch.path)
    try exchange()
    let export = ExportRecord(
      id: "E", archive: "/a.zip", at: 1, sequence: 1, photos: 1, archiveBytes: 1, isPartial: false)
    try library.note([export])
    #expect(try library.lastExport()?.id == "E")
    #expect(try victimFiles() == [])
  }

  @Test("Pinned folder: a change is made in the folder that was opened")
  func change() throws {
    let writer = try scratch.writer()
    try exchange()
    try scratch.commit(["b.jpg": "b"], firstId: 2, with: writer)
    #expect(try writer.library.contents().photos.map(\.id) == [1, 2])
    #expect(try victimFiles() == [])
  }

  @Test("Pinned folder: SQLite's log is deleted in the folder that was opened")
  func log() throws {
    do {
      let writer = try scratch.writer()
      try exchange()
      try scratch.commit(["b.jpg": "b"], firstId: 2, with: writer)
      try scratch.folder.write("the victim's", to: "victim/library.sqlite-wal")
    }
    #expect(try victimFiles() == ["library.sqlite-wal"])
    #expect(!scratch.folder.has("moved/library.sqlite-wal"))
  }

  @Test("Pinned folder: messages have the path that the user gave")
  func message() throws {
    let folder = try Library.openFolder(scratch.path)
    try scratch.folder.write(Array(repeating: 1, count: 4000), to: "moved")
    let database = scratch.path.appending("library.sqlite").string
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: database))
    try handle.seek(toOffset: 100)
    try handle.write(contentsOf: Data(repeating: 0xA5, count: 4000))
    try handle.close()
    let error = #expect(throws: LibraryError.self) { try Library(in: folder).contents() }
    #expect(error?.description.hasPrefix("cannot use \(database): ") == true)
    #expect(error?.description.contains("/proc/") == false)
  }

  @Test("Pinned folder: nothing is written elsewhere while another process exchanges the folder")
  func race() throws {
    try FileManager.default.moveItem(atPath: scratch.path.string, toPath: scratch.folder.path("real").string)
    let isDone = Mutex(false)
    let ended = DispatchSemaphore(value: 0)
    let links = ["real", "victim"].map { (target: $0, name: scratch.folder.path("to-\($0)").string) }
    let place = scratch.path.string
    Thread.detachNewThread {
      while !isDone.withLock({ $0 }) {
        for link in links {
          symlink(link.target, link.name)
          rename(link.name, place)
        }
      }
      ended.signal()
    }
    var opened = 0
    for _ in 0..<1_000 where (try? Library(path: scratch.path).contents()) != nil { opened += 1 }
    isDone.withLock { $0 = true }
    ended.wait()
    #expect(opened > 0)
    #expect(try victimFiles() == [])
  }
}
