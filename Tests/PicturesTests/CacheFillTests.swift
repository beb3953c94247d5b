import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Pictures

/// Filling the cache of a library.
@Suite(.enabled(PictureScratch.reason) { PictureScratch.isPossible })
struct CacheFillTests {
  private let scratch = PictureScratch()
  private let sample: SampleLibrary

  /// A library with two different photos in three rows, a damaged one, and one that libvips does not read.
  init() throws {
    try scratch.writeImage("red.ppm") { _, _ in (201, 60, 40) }
    try scratch.writeImage("blue.ppm") { _, _ in (20, 60, 240) }
    for name in ["red", "blue"] { try scratch.run("vips", "copy", "\(name).ppm", "\(name).jpg") }
    let (red, blue) = (try scratch.folder.bytes("red.jpg"), try scratch.folder.bytes("blue.jpg"))
    sample = try SampleLibrary(
      [
        SampleLibrary.Member(id: 1, fileName: "red.jpg", bytes: red),
        SampleLibrary.Member(id: 2, fileName: "again.jpg", bytes: red),
        SampleLibrary.Member(id: 3, fileName: "blue.jpg", bytes: blue),
        SampleLibrary.Member(id: 4, fileName: "cut.jpg", bytes: Array(red.prefix(100))),
        SampleLibrary.Member(id: 5, fileName: "old.bmp", bytes: Array("BM no more".utf8)),
      ], categories: [Category(id: 1, name: "cars", displayName: "Cars", createdAt: 0, valuesAsOf: 0)])
  }

  private func fill() throws -> CacheFillSummary {
    try CacheFillRun(path: sample.path, counter: ProgressCounter()).run().summary
  }

  @Test("Fill: each content is drawn once, and a damaged photo is reported")
  func firstRun() throws {
    let summary = try fill()
    #expect(summary.photos == 4)
    #expect(summary.drawn == 2)
    #expect(summary.cached == 0)
    #expect(
      summary.failed.map(\.message) == [
        "photo 4 “cut” in “Cars” cannot be drawn: the file is corrupt, or no image"
      ])
    #expect(
      summary.undrawable.map(\.message) == [
        "photo 5 “old” in “Cars” cannot be drawn: libvips does not read its format"
      ])
  }

  @Test(
    "Fill: a run waits no longer than the caller allows", arguments: ["readers.lock", ".cache/pictures.lock"])
  func boundedWait(name: String) throws {
    _ = try PictureCache(of: Library(path: sample.path))
    let path = sample.path.appending(name)
    let lock = try FileLock(
      try #require(path.lastComponent.map { FilePath($0.string) }), in: Directory.open(path.folder),
      exclusive: true)
    var run = CacheFillRun(path: sample.path, counter: ProgressCounter())
    run.lockWait = .zero
    #expect(throws: FileLock.Busy.self) { try run.run() }
    lock.release()
    #expect(try run.run().summary.drawn == 2)
  }

  @Test("Fill: a second run draws nothing, and reports the same")
  func secondRun() throws {
    let first = try fill()
    let second = try fill()
    #expect(second.drawn == 0)
    #expect(second.cached == 2)
    #expect(second.failed == first.failed)
    #expect(second.undrawable == first.undrawable)
  }

  @Test("Fill: after clear, everything is drawn again")
  func afterClear() throws {
    _ = try fill()
    let library = try Library(path: sample.path)
    #expect(try PictureCache.status(of: library).pictures == 2)
    try PictureCache.clear(library)
    #expect(try fill().drawn == 2)
  }

  @Test("Fill: a photo that was damaged in the library is reported, and gets no picture")
  func damagedFile() throws {
    let photo = try Library(path: sample.path).contents().photos[2]
    let path = sample.path.appending(photo.path).string
    try Data(scratch.folder.bytes("red.jpg")).write(to: URL(fileURLWithPath: path))
    let summary = try fill()
    #expect(summary.drawn == 1)
    #expect(summary.failed.filter { $0.item.hasPrefix("photo 3 ") }.contains { $0.remedy == .repairLibrary })
  }

  @Test("Fill: a missing photo is reported")
  func missingFile() throws {
    let photo = try Library(path: sample.path).contents().photos[2]
    try FileManager.default.removeItem(atPath: sample.path.appending(photo.path).string)
    let summary = try fill()
    #expect(
      summary.failed.contains {
        $0
          == Finding(
            .photo(id: 3, label: "photo 3 “blue” in “Cars”"),
            message: "photo 3 “blue” in “Cars” is missing in the library",
            remedy: .repairLibrary)
      })
  }

  @Test("Fill: a photo that took too long is tried once more, and then remembered")
  func slowPhoto() throws {
    let library = try Library(path: sample.path)
    let content = try #require(try library.contents().photos[2].content)
    let decoders = try PictureSupport.find().decoders
    for attempts in 1...2 {
      do {
        let cache = try PictureCache(of: library)
        cache.store(.fault(.timeLimit, decoders: decoders, attempts: attempts), for: content)
        cache.flush()
      }
      #expect(try fill().findings.contains { $0.item.hasPrefix("photo 3 ") } == (attempts == 2))
    }
  }

  @Test("Fill: a photo that crashed two helpers is remembered, and not tried again")
  func crashingPhoto() throws {
    let library = try Library(path: sample.path)
    let content = try #require(try library.contents().photos[2].content)
    let decoders = try PictureSupport.find().decoders
    do {
      let cache = try PictureCache(of: library)
      cache.store(.fault(.crashed, decoders: decoders, attempts: 0), for: content)
      cache.flush()
    }
    let message = "photo 3 “blue” in “Cars” cannot be drawn: two processes ended while they drew it"
    let summary = try fill()
    #expect(summary.drawn == 1)
    #expect(summary.failed.map(\.message).contains(message))
  }

  @Test("Fill: a photo that other decoders did not draw is tried again")
  func otherDecoders() throws {
    let library = try Library(path: sample.path)
    let content = try #require(try library.contents().photos[2].content)
    do {
      let cache = try PictureCache(of: library)
      cache.store(.fault(.crashed, decoders: "8.13.0 jpeg", attempts: 0), for: content)
      cache.flush()
    }
    #expect(try fill().drawn == 2)
  }

  @Test("Fill: a cancelled run keeps the pictures that it drew")
  func cancellation() throws {
    let counter = ProgressCounter()
    counter.cancel()
    #expect(throws: CancellationError.self) {
      try CacheFillRun(path: sample.path, counter: counter).run().summary
    }
    #expect(try fill().drawn == 2)
  }

  @Test("Fill: a full cache is reported, and keeps its pictures")
  func fullCache() throws {
    let summary = try CacheFillRun(path: sample.path, counter: ProgressCounter(), limit: 1_000).run().summary
    #expect(summary.left == 4)
    #expect(summary.drawn == 0)
  }
}
