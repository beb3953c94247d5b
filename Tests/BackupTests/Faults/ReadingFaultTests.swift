import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Read errors of one photo, and photos that change while they are read: the photo is reported, the others are
/// intact.
@Suite struct ReadingFaultTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary
  /// Larger than a buffer of the pipeline, so that a read error can occur in the middle of a photo.
  private static let size = 5 << 18

  init() throws {
    library = try SampleLibrary(
      (1...3).map { id in
        .init(
          id: id, fileName: "\(id).jpg", bytes: [UInt8](repeating: UInt8(id), count: Self.size - 1) + [0])
      }, categories: [.sample(1, "family")])
  }

  private func fault(
    _ effect: Fault.Effect, at number: Int = 2, of call: SystemCall = .read, persists: Bool = true,
    below path: FilePath
  ) -> ArmedFault {
    ArmedFault(effect, at: number, of: [call], persists: persists, below: path)
  }

  /// The path of a photo's file.
  private func file(_ index: Int) throws -> FilePath {
    library.file(of: try library.contents.photos[index])
  }

  /// An environment failure says nothing of the photos. If the export left them all out, the archive would be useless.
  @Test(
    "Export: an environment failure ends the export without an archive",
    arguments: [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory])
  func environmentFailure(_ failure: Errno) async throws {
    for call in [SystemCall.open, .status] {
      let fault = fault(.error(failure), at: 1, of: call, below: library.path.appending("photos"))
      await #expect(throws: FileError.self) { try await library.exporting(to: scratch.path) }
      fault.disarm()
    }
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  /// A read error of the folder says nothing of the photos in it.
  @Test("Export: an unreadable folder of photos ends the export without an archive")
  func unreadableFolder() async throws {
    var failures = 0
    // the first folders are opened to check their owners, and then again
    for index in 1...8 {
      let fault = fault(
        .error(.ioError), at: index, of: .open, persists: false,
        below: library.path.appending("photos"))
      let output = scratch.path.appending("\(index).zip")
      do {
        let summary = try await library.exporting(to: output)
        #expect(!summary.isIncomplete)
        try FileManager.default.removeItem(atPath: output.string)
      } catch is FileError {
        failures += 1
      }
      fault.disarm()
      #expect(try FolderTree(scratch.path).files.isEmpty)
    }
    #expect(failures > 0)
  }

  private func expectIntact(_ archive: FilePath?, photos: [Int64]) throws {
    let backup = try WrittenBackup.intact(archive)
    #expect(backup.photos.keys.sorted() == photos)
    for (id, bytes) in try library.bytesOfPhotos() where photos.contains(id) {
      #expect(backup.photos[id] == bytes)
    }
  }

  @Test("Export: a photo with a read error is reported and the others are exported")
  func exportReadError() async throws {
    let fault = fault(.error(.ioError), below: try file(1))
    defer { fault.disarm() }
    let summary = try await library.exporting(to: scratch.path.appending("x.zip"))
    #expect(fault.place != nil)
    #expect(summary.isIncomplete)
    #expect(summary.missing.map(\.item) == ["photo 2 “2” in “Family”"])
    #expect(summary.missing.first?.message.contains("(errno 5)") == true)
    try expectIntact(summary.archive, photos: [1, 3])
  }

  /// A change that another process makes between two reads of a photo.
  enum Change: CaseIterable {
    case truncated, extended, replaced, removed

    func callAsFunction(_ file: FilePath) {
      let handle = FileHandle(forUpdatingAtPath: file.string)
      switch self {
      case .truncated: try? handle?.truncate(atOffset: 1 << 18)
      case .extended: try? handle?.truncate(atOffset: 6 << 18)
      case .replaced:
        try? FileManager.default.removeItem(atPath: file.string)
        try? Data("another".utf8).write(to: URL(fileURLWithPath: file.string))
      case .removed: try? FileManager.default.removeItem(atPath: file.string)
      }
    }
  }

  @Test(
    "Export: a photo that changes while it is read is reported, or exported as it was",
    arguments: Change.allCases)
  func changingPhoto(_ change: Change) async throws {
    let path = try file(1)
    let fault = fault(.then { change(path) }, at: 1, persists: false, below: path)
    defer { fault.disarm() }
    let before = try library.bytesOfPhotos()
    // one reader, so that the rest is read after the change
    let summary = try await library.exporting(to: scratch.path.appending("x.zip")) {
      $0.verifies = true
      $0.readers = 1
    }
    #expect(fault.place != nil)
    let backup = try WrittenBackup.intact(summary.archive)
    #expect(backup.photos[1] == before[1])
    #expect(backup.photos[3] == before[3])
    if change == .truncated || change == .extended {
      #expect(summary.isIncomplete)
      let reported = summary.missing + summary.corruptInLibrary
      #expect(reported.map(\.item) == ["photo 2 “2” in “Family”"])
    } else {
      // the export holds the file open and reads it to its end, although its name is removed
      #expect(!summary.isIncomplete)
      #expect(backup.photos[2] == before[2])
    }
  }

  @Test("Verify: a photo of a library with a read error is reported")
  func verifyLibrary() async throws {
    let fault = fault(.error(.ioError), below: try file(2))
    defer { fault.disarm() }
    let summary = try await Work.verify(library: library.path).summary
    #expect(summary.entriesChecked == 3)
    #expect(summary.damaged.map(\.item) == ["photo 3 “3” in “Family”"])
    #expect(summary.damaged.first?.message.contains("(errno 5)") == true)
  }

  @Test("Add: a file with a read error is reported and the others are added")
  func addReadError() async throws {
    let folder = try scratch.makeFolder("pictures")
    for (id, bytes) in try library.bytesOfPhotos() {
      try scratch.write([0xFF, 0xD8, 0xFF, 0xE0] + bytes, to: "pictures/new \(id).jpg")
    }
    let fault = fault(.error(.ioError), at: 3, below: folder.appending("new 2.jpg"))
    defer { fault.disarm() }
    let summary = try await Work.add([folder], to: library.path).summary
    #expect(fault.place != nil)
    #expect(summary.photosAdded == 2)
    #expect(summary.errors.count == 1)
    #expect(summary.errors.first?.message.contains("new 2.jpg") == true)
    expectNone(try library.faults())
    #expect(try library.contents.photos.count == 5)
  }

  @Test("Import: a photo with a read error is reported and imported by the next import")
  func importReadError() async throws {
    let archive = try #require(
      try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    let target = try SampleLibrary()
    let path = archive
    let reads = fault(.error(.ioError), at: .max, below: path)
    _ = try await SampleLibrary().importing(archive) { $0.readers = 1 }
    reads.disarm()
    let fault = fault(.error(.ioError), at: reads.count - 8, persists: false, below: path)
    defer { fault.disarm() }
    let summary = try await target.importing(archive) { $0.readers = 1 }
    #expect(fault.place != nil)
    #expect(summary.isIncomplete)
    #expect(summary.photosNotImported == 1)
    #expect(summary.errors.count == 1)
    #expect(summary.errors.first?.message.contains("(errno 5)") == true)
    #expect(try target.contents.photos.count == 2)
    expectNone(try target.faults())

    fault.disarm()
    #expect(try await !target.importing(archive).isIncomplete)
    #expect(try Set(target.contents.photos.map(\.md5)) == Set(library.contents.photos.map(\.md5)))
  }

  @Test("Verify: an entry with a read error is reported")
  func verifyArchive() async throws {
    let archive = try #require(
      try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    let path = archive
    let reads = fault(.error(.ioError), at: .max, below: path)
    #expect(try await Work.verify([archive]).summary.damaged.isEmpty)
    reads.disarm()
    let fault = fault(.error(.ioError), at: reads.count - 8, persists: false, below: path)
    defer { fault.disarm() }
    let summary = try await Work.verify([archive]).summary
    #expect(summary.damaged.count == 1)
    #expect(summary.damaged.first?.message.contains("(errno 5)") == true)
  }

  @Test("Verify: if one of several archives cannot be examined, the archives after it are verified")
  func verifySeveralArchives() async throws {
    var archives: [FilePath] = []
    for name in ["a.zip", "b.zip", "c.zip"] {
      archives.append(
        try #require(try await library.exporting(to: scratch.path.appending(name)).archive))
    }
    let path = archives[1]
    let statuses = fault(.error(.ioError), at: .max, of: .status, below: path)
    let entries = try await Work.verify(archives, readers: 1).summary.entriesChecked
    statuses.disarm()
    // the last call follows the opening of all archives
    let fault = fault(.error(.ioError), at: statuses.count, of: .status, persists: false, below: path)
    defer { fault.disarm() }
    let summary = try await Work.verify(archives, readers: 1).summary
    #expect(fault.place != nil)
    #expect(summary.unreadable.map(\.path) == [archives[1]])
    #expect(summary.damaged.isEmpty)
    #expect(summary.entriesChecked == entries / 3 * 2)
  }

  @Test("JSON import: a photo with a read error is counted as missing, the others are imported")
  func jsonReadError() async throws {
    let json = try #require(
      try await library.exporting(to: scratch.path.appending("x.json")) { $0.format = .json }.archive)
    let target = try SampleLibrary()
    let photos = library.path.appending("photos")
    // the first pass computes the MD5 of each photo, the second copies the photo
    let perReading = Self.size / (1 << 18)
    let fault = fault(.error(.ioError), at: perReading + 4, below: try file(0))
    defer { fault.disarm() }
    let summary = try await target.importing(json) {
      $0.photosFrom = photos
      $0.readers = 1
    }
    #expect(fault.place != nil)
    #expect(summary.photosNotImported == 1)
    #expect(try target.contents.photos.count == 2)
    expectNone(try target.faults())
  }

  @Test("Import of several: a failure keeps the errors of the backups before it")
  func severalBackups() async throws {
    let archive = try #require(
      try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    let second = try #require(
      try await library.exporting(to: scratch.path.appending("y.zip")).archive)
    let target = try SampleLibrary()
    let one = archive
    let reads = fault(.error(.ioError), at: .max, below: one)
    _ = try await SampleLibrary().importing(archive) { $0.readers = 1 }
    reads.disarm()
    let damage = fault(.error(.ioError), at: reads.count - 8, persists: false, below: one)
    let full = fault(.error(.noSpace), at: 8, of: .sync, below: target.path)
    defer {
      damage.disarm()
      full.disarm()
    }
    let error = await #expect(throws: ImportStopped.self) {
      try await target.importing(archive, second) { $0.readers = 1 }
    }
    #expect(damage.place != nil)
    #expect(full.place != nil)
    let done = try #require(error?.done)
    #expect(error?.path == second)
    #expect(error?.imported == [archive])
    #expect(done.errors.count == 1)
    #expect(done.errors.first?.item.hasPrefix("photo ") == true)
    #expect(error?.description.contains("already imported: \(archive)") == true)
    #expect(error?.description.contains("(errno 28)") == true)
    expectNone(try target.faults())
  }
}
