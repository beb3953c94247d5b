import FileSystem
import Foundation
import GRDB
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import PhotoLibrary

struct ReadingTests {
  let scratch: LibraryScratch

  init() throws { scratch = try LibraryScratch() }

  @Test("Untracked files: they are listed, and a writer keeps them")
  func untrackedFiles() throws {
    try scratch.commit(["a.jpg": "one", "caf\u{E9}.jpg": "two"])
    try scratch.commit(["b.jpg": "three"], as: .replace)
    let library = try Library(path: scratch.path)
    #expect(try library.untrackedFiles() == [])
    for name in [
      "notes.txt", "photos/x.jpg", "photos/2025/10/b (2).jpg", "photos/2025/10/deep/y.jpg", "extra/z",
    ] {
      try scratch.folder.write("mine", to: "library/" + name)
    }
    try scratch.folder.link("library/photos/2025/10/link.jpg", to: "b.jpg")
    #expect(
      try library.untrackedFiles() == [
        "extra", "notes.txt", "photos/2025/10/b (2).jpg", "photos/2025/10/deep/y.jpg",
        "photos/2025/10/link.jpg", "photos/x.jpg",
      ])
    _ = try scratch.writer()
    #expect(try library.untrackedFiles().count == 6)
  }

  @Test("Untracked files: a name in another normal form than its photo's")
  func normalForms() throws {
    try scratch.commit(["caf\u{E9}.jpg": "one"])
    let name = "photos/2025/10/cafe\u{301}.jpg"
    try scratch.folder.write("mine", to: "library/" + name)
    #expect(try Library(path: scratch.path).untrackedFiles() == [FilePath(name)])
  }

  @Test("Untracked files: a name that is not UTF-8")
  func invalidName() throws {
    let name = try #require(FilePath(bytes: [0xE9, 0x2E, 0x6A, 0x70, 0x67]))
    _ = try Directory.open(scratch.path.appending("photos")).open(name, .create)
    #expect(
      try Library(path: scratch.path).untrackedFiles() == [FilePath("photos").appending(name.components)])
  }

  @Test("Totals: bytes of assets do not count")
  func totals() throws {
    #expect(try Library(path: scratch.path).totals() == (0, 0, 0))
    try scratch.commit(["a.jpg": "one", "b.jpg": "four!"])
    try scratch.sql { database in
      try LibraryScratch.category(2, "empty").insert(database)
      try Photo(
        id: 9, categoryId: 1, name: "balloon", path: "sample_images/balloon.png", originalPath: "balloon.png",
        isFromAssets: true, createdAt: 0, fileSize: 1000, md5: nil
      ).insert(database)
    }
    #expect(try Library(path: scratch.path).totals() == (3, 2, 8))
  }

  @Test("Status: of files in several folders, missing, behind a link, and in a folder that was made again")
  func statuses() throws {
    try scratch.folder.makeFolder("outside")
    try scratch.folder.write("x", to: "outside/x.jpg")
    let library = try Library(path: scratch.path)
    for (name, text) in [("2025/10/a.jpg", "1"), ("2024/01/b.jpg", "22"), ("2025/10/c.jpg", "333")] {
      try scratch.folder.write(text, to: "library/photos/" + name)
    }
    try scratch.folder.link("library/photos/2023", to: "../../outside")
    let paths = [
      "2025/10/a.jpg", "2024/01/none.jpg", "2025/10/c.jpg", "2024/01/b.jpg", "2020/01/d.jpg", "2023/x.jpg",
    ]
    let photos = paths.enumerated().map { LibraryScratch.photo(Int64($0), "photos/" + $1, "") }
    let sizes = { photos.map { try? library.status(of: $0).get().size } }
    #expect(sizes() == [1, nil, 3, 2, nil, nil])
    guard case .failure(let error) = library.status(of: photos[1]) else {
      Issue.record("a status of a file that is not there")
      return
    }
    #expect(
      error == FileError("open", scratch.path.appending("photos/2024/01/none.jpg"), .noSuchFileOrDirectory))
    try scratch.folder.remove("library/photos/2025")
    #expect(sizes() == [nil, nil, nil, 2, nil, nil])
    try scratch.folder.write("4444", to: "library/photos/2025/10/a.jpg")
    #expect(sizes() == [4, nil, nil, 2, nil, nil])
  }

  @Test("Library: a photo is intact if size and MD5 are those of its row")
  func intactPhotos() throws {
    let photos = try scratch.commit(["a.jpg": "one", "b.jpg": "two", "c.jpg": "three", "d.jpg": "four"])
    try scratch.folder.write("ONE", to: "library/" + photos[0].path)
    try scratch.folder.write("two and more", to: "library/" + photos[1].path)
    try scratch.folder.remove("library/" + photos[2].path)
    let library = try Library(path: scratch.path)
    #expect(try photos.map { try library.hasIntactFile(of: $0) } == [false, false, false, true])
  }

  @Test("Library: a photo is not read through a symbolic link")
  func linkedFolder() throws {
    let photo = try scratch.commit(["a.jpg": "one"])[0]
    try scratch.folder.remove("library/photos/2025")
    try scratch.folder.write("one", to: "outside/10/a.jpg")
    try scratch.folder.link("library/photos/2025", to: "../../outside")
    let library = try Library(path: scratch.path)
    #expect(throws: FileError("open", scratch.path.pushing(FilePath(photo.path)), .notDirectory)) {
      _ = try library.open(photo)
    }
    #expect(try !library.hasIntactFile(of: photo))
  }

  @Test("Read lock: several readers share it")
  func sharedLock() throws {
    let library = try Library(path: scratch.path)
    let result = try library.withPhotoReadLock {
      try Library(path: scratch.path).withPhotoReadLock {
        #expect(throws: FileLock.Busy.self) {
          _ = try FileLock("readers.lock", in: Directory.open(scratch.path), exclusive: true)
        }
        return 7
      }
    }
    #expect(result == 7)
    try FileLock("readers.lock", in: Directory.open(scratch.path), exclusive: true).release()
    #expect(throws: CancellationError.self) { try library.withPhotoReadLock { throw CancellationError() } }
    try FileLock("readers.lock", in: Directory.open(scratch.path), exclusive: true).release()
  }

  @Test("Read lock: a reader waits for a writer that moves files")
  func waitingReader() throws {
    let lock = try FileLock("readers.lock", in: Directory.open(scratch.path), exclusive: true)
    let (path, starting, ended) = (scratch.path, DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let result = Mutex<Int?>(nil)
    // a thread of its own, since the others' tests may hold every thread of the pool for minutes
    Thread.detachNewThread {
      starting.signal()
      let value = try? Library(path: path).withPhotoReadLock { 7 }
      result.withLock { $0 = value }
      ended.signal()
    }
    starting.wait()
    lock.release()
    ended.wait()
    #expect(result.withLock { $0 } == 7)
  }

  @Test(
    "Read lock: a folder that the user cannot write is read without it", .enabled(if: geteuid() != 0),
    arguments: [false, true])
  func readOnlyFolder(hasBeenRead: Bool) throws {
    try scratch.commit(["a.jpg": "one"])
    if hasBeenRead { _ = try scratch.contents() }
    let before = try scratch.folder.tree()
    let attributes: (Int) -> [FileAttributeKey: Any] = { [.posixPermissions: $0] }
    try FileManager.default.setAttributes(attributes(0o500), ofItemAtPath: scratch.path.string)
    defer { try? FileManager.default.setAttributes(attributes(0o700), ofItemAtPath: scratch.path.string) }
    if hasBeenRead {
      // without readers.lock: a user who cannot make that file cannot delete a photo either
      let library = try Library(path: scratch.path)
      #expect(try library.withPhotoReadLock { try library.contents().photos.count } == 1)
    } else {
      for open in [{ _ = try Library(path: scratch.path) }, { _ = try scratch.writer() }] {
        let error = #expect(throws: LibraryError.self) { try open() }
        #expect(error?.description.hasSuffix("run smilepile as the owner of \(scratch.path)") == true)
      }
    }
    #expect(try scratch.folder.tree() == before)
  }

  @Test("Export records: the last complete export is found by order")
  func exportRecords() throws {
    let library = try Library(path: scratch.path)
    #expect(try library.lastExport() == nil)
    let libraryID = try library.libraryID()
    func record(_ id: String, at: Timestamp, isPartial: Bool = false) -> ExportRecord {
      var record = ExportRecord(
        id: id, archive: "/nas/\(id).zip", at: at, sequence: at.rawValue, photos: 3, archiveBytes: 1 << 40,
        isPartial: isPartial)
      record.libraryID = id == "new" ? nil : libraryID
      return record
    }
    try library.note([record("old", at: 10)])
    try library.note([record("new", at: 20)])
    try library.note([record("part", at: 30, isPartial: true)])
    // a record without the ID is of the library itself
    #expect(try library.lastExport()?.id == "new")
    #expect(try library.lastExport()?.libraryID == libraryID)
    // the clock was ahead, and was set right
    try library.note([record("later", at: 5)])
    #expect(try library.lastExport() == record("later", at: 5))
    #expect(throws: LibraryError.self) { try library.note([record("old", at: 40)]) }
  }

  @Test("Export records: one is added while a writer is open")
  func exportRecordWhileWriting() throws {
    let writer = try scratch.writer()
    let library = try Library(path: scratch.path)
    try library.note([
      ExportRecord(
        id: "x", archive: "/x.zip", at: 1, sequence: 1, photos: 0, archiveBytes: 1, isPartial: false)
    ])
    #expect(try writer.library.lastExport()?.id == "x")
  }
}
