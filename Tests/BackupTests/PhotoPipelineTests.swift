import Checksums
import FileSystem
import Foundation
import PhotoLibrary
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

@Suite struct PhotoPipelineTests {
  /// Small chunks: few bytes need many of them, and every set is used many times.
  private static let small = PhotoPipeline.Options(lanes: 3, chunkSize: 4096, sets: 2)

  @Test("Photo pipeline: sizes around chunk boundaries have the right checksums", arguments: [1, 3])
  func chunkBoundaries(_ lanes: Int) throws {
    let size = 4096
    let folder = try PhotoFolder(sizes: [0, 1, size - 1, size, size + 1, 3 * size, 3 * size + 1, 0, 0, 7, 0])
    var options = Self.small
    options.lanes = lanes
    let result = try folder.archive(options: options)
    #expect(result.digests == folder.contents.map(MD5Digest.init(of:)))
    #expect(try folder.complaints() == [])
    #expect(try folder.entries() == folder.contents)
  }

  @Test("Photo pipeline: photos of all sizes are archived", arguments: [1, 3])
  func allSizes(_ lanes: Int) throws {
    let sizes = [0, 1, 4095, 4096, 4097, 3 * 4096, 3 * 4096 + 1, 0, 7, 100_000]
    let folder = try PhotoFolder(sizes: sizes)
    var options = Self.small
    options.lanes = lanes
    let result = try folder.archive(options: options)
    #expect(result.digests == folder.contents.map(MD5Digest.init(of:)))
    #expect(try folder.entries() == folder.contents)
    #expect(try PhotoPipeline(items: folder.items).faults() == [])
  }

  @Test("Photo pipeline: many tiny files are archived")
  func tinyFiles() throws {
    let folder = try PhotoFolder(sizes: (0..<2000).map { $0 % 97 })
    for options in [Self.small, PhotoPipeline.Options()] {
      let result = try folder.archive(options: options)
      #expect(result.digests == folder.contents.map(MD5Digest.init(of:)))
      #expect(try folder.entries() == folder.contents)
    }
    #expect(try folder.complaints() == [])
  }

  @Test("Photo pipeline: of many tiny files, a few are open at a time")
  func openFiles() throws {
    let folder = try PhotoFolder(sizes: Array(repeating: 5, count: 2000))
    let path = folder.scratch.path.string
    let most = Mutex(0)
    let count = { @Sendable () -> Bool in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      let open = names.count { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))?
          .hasPrefix(path) ?? false
      }
      most.withLock { $0 = max($0, open) }
      return false
    }
    _ = try PhotoPipeline(items: folder.items).write([], to: folder.archive, isCancelled: count)
    // and the archive
    #expect((1...MultiBufferMD5.lanes + 1).contains(most.withLock { $0 }))
  }

  @Test("Photo pipeline: small and large files are archived together")
  func mixedSizes() throws {
    var generator = SeededNumbers(seed: 11)
    let sizes = (0..<300).map { _ in Int.random(in: 0...1 << Int.random(in: 1...15), using: &generator) }
    let folder = try PhotoFolder(sizes: sizes)
    let result = try folder.archive(options: Self.small)
    #expect(result.digests == folder.contents.map(MD5Digest.init(of:)))
    #expect(try folder.entries() == folder.contents)
  }

  @Test("Photo pipeline: an archive without photos is valid")
  func noPhotos() throws {
    let folder = try PhotoFolder(sizes: [])
    let result = try folder.archive(options: .init())
    #expect(result.digests == [])
    #expect(try folder.complaints() == [])
  }

  @Test("Photo pipeline: a text receives the checksums of all photos")
  func textChecksums() throws {
    let folder = try PhotoFolder(sizes: [5, 10_000])
    let seen = Mutex<[MD5Digest]>([])
    let text = PipelineText(entryName: "t", modified: 0) { digests, _ in
      seen.withLock { $0 = digests }
    }
    let result = try PhotoPipeline(items: folder.items, options: Self.small).write([text], to: folder.archive)
    #expect(seen.withLock { $0 } == result.digests)
    #expect(result.digests == folder.contents.map(MD5Digest.init(of:)))
    #expect(try folder.archive.status().size == result.archiveSize)
  }

  @Test("Photo pipeline: texts of any length arrive whole", arguments: [0, 4095, 4096, 4097, 100_000])
  func textLengths(_ length: Int) throws {
    let folder = try PhotoFolder(sizes: [8192])
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let texts = ["a", "b"].map { name in
      PipelineText(entryName: name, modified: 0) { _, write in try bytes.withUnsafeBytes(write) }
    }
    _ = try PhotoPipeline(items: folder.items, options: Self.small).write(texts, to: folder.archive)
    let archive = try Archive(path: folder.scratch.path("archive.zip"))
    var reader = try EntryReader(archive)
    for text in archive.entries.dropFirst() { #expect(try reader.bytes(of: text, limit: length) == bytes) }
  }

  @Test("Photo pipeline: a missing file is reported with its index", arguments: [0, 4, 9])
  func missingFile(_ index: Int) throws {
    let folder = try PhotoFolder(sizes: Array(repeating: 9000, count: 10))
    try folder.remove(index)
    let path = folder.scratch.path("\(index)")
    let reason = PhotoFault.unreadable(FileError("open", path, .noSuchFileOrDirectory))
    let fault = LaneReader.Fault(index: index, reason: reason)
    #expect(throws: PipelineError.unreadable([fault])) { try folder.archive(options: Self.small) }
  }

  @Test("Photo pipeline: a file of another size is reported with its index", arguments: [10, 4096, 9000])
  func changedSize(_ size: Int) throws {
    for (change, reason) in [(-1, PhotoFault.tooShort(bytes: size - 1)), (1, .tooLong)] {
      let folder = try PhotoFolder(sizes: [5, 20_000, size, 5])
      try folder.resize(2, to: size + change)
      let fault = LaneReader.Fault(index: 2, reason: reason)
      #expect(throws: PipelineError.unreadable([fault])) { try folder.archive(options: Self.small) }
      #expect(try PhotoPipeline(items: folder.items).faults() == [fault])
    }
  }

  @Test("Photo pipeline: one pass finds all missing and changed files", arguments: [1, 3])
  func faults(_ lanes: Int) throws {
    let folder = try PhotoFolder(sizes: Array(repeating: 3000, count: 30) + [90_000, 5])
    try folder.remove(3)
    try folder.resize(17, to: 0)
    try folder.remove(29)
    try folder.resize(30, to: 89_999)
    var options = Self.small
    options.lanes = lanes
    let error = #expect(throws: PipelineError.self) { try folder.archive(options: options) }
    guard case .unreadable(let faults) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(faults.map(\.index).sorted() == [3, 17, 29, 30])
    let pipeline = PhotoPipeline(items: folder.items, options: options)
    #expect(try pipeline.faults().map(\.index) == [3, 17, 29, 30])
    #expect(throws: CancellationError.self) { try pipeline.faults(isCancelled: { true }) }
  }

  @Test("Photo pipeline: after a failure, the other photos are written to the same file")
  func retry() throws {
    let folder = try PhotoFolder(sizes: [4000, 70_000, 300])
    try folder.resize(1, to: 69_999)
    #expect(throws: PipelineError.self) { try folder.archive(options: Self.small) }
    var items = folder.items
    items.remove(at: 1)
    let result = try PhotoPipeline(items: items, options: Self.small).write([], to: folder.archive)
    #expect(try folder.archive.status().size == result.archiveSize)
    #expect(try folder.entries() == [folder.contents[0], folder.contents[2]])
  }

  @Test("Photo pipeline: cancellation ends the run soon")
  func cancellation() throws {
    let folder = try PhotoFolder(sizes: Array(repeating: 9000, count: 200))
    let asked = Atomic<Int>(0)
    #expect(throws: CancellationError.self) {
      try PhotoPipeline(items: folder.items, options: Self.small).write(
        [], to: folder.archive,
        isCancelled: { asked.add(1, ordering: .relaxed).newValue > 50 })
    }
    #expect(asked.load(ordering: .relaxed) < 80, "few buffers are used after the cancellation")
  }

  @Test("Photo pipeline: a read-only archive file is an error of that file")
  func readOnlyArchive() throws {
    let folder = try PhotoFolder(sizes: [9000])
    #expect(throws: FileError.self) {
      let readOnly = try File.open(folder.scratch.path("archive.zip"), .read)
      _ = try PhotoPipeline(items: folder.items, options: Self.small).write([], to: readOnly)
    }
  }

  @Test("Photo pipeline: a full disk is an error of the archive file", arguments: [[300_000], [10, 20], []])
  func fullDisk(_ sizes: [Int]) throws {
    let folder = try PhotoFolder(sizes: sizes)
    let text = PipelineText(entryName: "t", modified: 0) { _, write in try [UInt8(1)].withUnsafeBytes(write) }
    let error = #expect(throws: FileError.self) {
      let full = try File.open("/dev/full", .readWrite)
      _ = try PhotoPipeline(items: folder.items, options: Self.small).write([text], to: full)
    }
    #expect(error?.errno == .noSpace)
  }

  @Test("Photo pipeline: an error of a text ends the run")
  func textError() throws {
    struct Mine: Error {}
    let folder = try PhotoFolder(sizes: [9000, 1])
    let text = PipelineText(entryName: "t", modified: 0) { _, _ in throw Mine() }
    #expect(throws: Mine.self) {
      try PhotoPipeline(items: folder.items, options: Self.small).write([text], to: folder.archive)
    }
  }

  @Test("Photo pipeline: progress reports every byte and every photo")
  func progress() throws {
    let folder = try PhotoFolder(sizes: [9000, 1, 5000])
    let seen = Mutex<[Int]>([0, 0, 0])
    let done = Mutex<[Int]>([])
    _ = try PhotoPipeline(items: folder.items, options: Self.small).write(
      [], to: folder.archive,
      progress: { advance in
        seen.withLock { $0[advance.item] += advance.bytes }
        if advance.isDone { done.withLock { $0.append(advance.item) } }
      })
    #expect(seen.withLock { $0 } == [9000, 1, 5000])
    #expect(done.withLock { $0 }.sorted() == [0, 1, 2])
  }

  @Test("Photo pipeline: early write-back does not change the archive")
  func writeBack() throws {
    let folder = try PhotoFolder(sizes: [20 << 20, 5])
    var options = PhotoPipeline.Options()
    options.startsWriteBack = true
    let result = try folder.archive(options: options)
    #expect(result.digests == folder.contents.map(MD5Digest.init(of:)))
    #expect(try folder.complaints() == [])
  }
}
