import Checksums
import FileSystem
import Operations
import TestSupport
import Testing

@testable import Backup

/// The number of photos that are read at the same time.
@Suite struct ReadersTests {
  @Test("Readers: one reader is one thread with one stream")
  func oneReader() {
    #expect(Readers(1).threads == 1)
    #expect(Readers(1).streams == 1)
  }

  @Test("Readers: many readers are divided among few threads")
  func manyReaders() {
    let readers = Readers(256)
    #expect(readers.threads == min(8, Workers.defaultCount))
    #expect(readers.streams == min(256 / readers.threads, MultiStreamMD5Reader.maximumStreams))
  }

  @Test("Readers: the number of open files stays below the limit of the process")
  func openFiles() {
    let readers = Readers().limited(toFiles: 2)
    #expect(readers.threads * readers.streams * 2 <= max(File.maximumOpen / 2, 2 * readers.threads))
    #expect(Readers().limited(toFiles: 1_000_000).streams == 1)
  }

  /// A device of unknown type counts as not rotational.
  @Test("Readers: a device that is not rotational has the default number of readers")
  func unknownDevice() throws {
    let scratch = ScratchFolder()
    let file = try File.open(scratch.write("x", to: "x"), .read)
    let identity = try file.status().identity
    if !BlockDevice.isRotational(identity) { #expect(Readers(nil, on: identity) == Readers()) }
  }

  @Test("Readers: any number of readers exports and imports all photos", arguments: [1, 2, 50])
  func anyNumber(_ readers: Int) async throws {
    let library = try SampleLibrary(
      (1...60).map {
        .init(id: $0, fileName: "\($0).jpg", bytes: [UInt8](repeating: UInt8($0), count: 70_000))
      },
      categories: [.sample(1, "family")])
    let scratch = ScratchFolder()
    let archive = try await library.exporting(to: scratch.path) { $0.readers = readers }.archive
    let target = try SampleLibrary()
    let summary = try await target.importing(try #require(archive)) { $0.readers = readers }
    #expect(summary.photosImported == 60)
    #expect(!summary.isIncomplete)
    #expect(try Set(target.bytesOfPhotos().values) == Set(library.bytesOfPhotos().values))
  }
}
