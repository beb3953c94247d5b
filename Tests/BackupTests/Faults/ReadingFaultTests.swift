import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// A disk that does not give back the bytes of one photo, and photos that change while they are read: the photo is
/// named, and all others are where they should be.
@Suite struct ReadingFaultTests {
  private let scratch: ScratchFolder
  private let library: SampleLibrary
  /// Larger than a buffer of the pipeline, so that a fault can happen in the middle.
  private static let size = 5 << 18

  init() throws {
    scratch = try ScratchFolder()
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
    ArmedFault(Fault(effect, at: number, of: .only([call]), persists: persists, below: path))
  }

  /// The path of a photo's file as the kernel has it.
  private func file(_ index: Int) throws -> FilePath {
    try real(library.file(of: try library.contents.photos[index]))
  }

  private func real(_ path: FilePath) throws -> FilePath {
    FilePath(URL(fileURLWithPath: path.string).resolvingSymlinksInPath().path)
  }

  /// That no file can be opened any more is no fault of a photo: an archive without photos would be none.
  @Test(arguments: [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory])
  func aShortageEndsTheExport(_ shortage: Errno) async throws {
    for call in [SystemCall.open, .status] {
      let fault = fault(.error(shortage), at: 1, of: call, below: try real(library.path.appending("photos")))
      await #expect(throws: FileError.self) { try await library.exporting(to: scratch.path) }
      fault.disarm()
    }
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  /// Nor does a folder that cannot be read say anything of the photos in it.
  @Test func aFolderThatCannotBeReadEndsTheExport() async throws {
    let fault = fault(
      .error(.ioError), at: 1, of: .open, persists: false, below: try real(library.path.appending("photos")))
    await #expect(throws: FileError.self) { try await library.exporting(to: scratch.path) }
    fault.disarm()
    #expect(try FolderTree(scratch.path).files.isEmpty)
  }

  private func expectWhole(_ archive: FilePath?, photos: [Int64]) throws {
    let backup = try WrittenBackup(try #require(archive))
    expectNone(try backup.faults())
    #expect(backup.photos.keys.sorted() == photos)
    for (id, bytes) in try library.bytesOfPhotos() where photos.contains(id) {
      #expect(backup.photos[id] == bytes)
    }
  }

  @Test func exportNamesAPhotoThatCannotBeRead() async throws {
    let fault = fault(.error(.ioError), below: try file(1))
    defer { fault.disarm() }
    let summary = try await library.exporting(to: scratch.path.appending("x.zip"))
    #expect(fault.place != nil)
    #expect(summary.isIncomplete)
    #expect(summary.missing.map(\.item) == ["photo 2 “2” in “Family”"])
    #expect(summary.missing.first?.message.contains("(errno 5)") == true)
    try expectWhole(summary.archive, photos: [1, 3])
  }

  /// What another process does to a photo between two reads of it.
  enum Change: CaseIterable {
    case truncated, grown, replacedByAnother, removed

    func callAsFunction(_ file: FilePath) {
      let handle = FileHandle(forUpdatingAtPath: file.string)
      switch self {
      case .truncated: try? handle?.truncate(atOffset: 1 << 18)
      case .grown: try? handle?.truncate(atOffset: 6 << 18)
      case .replacedByAnother:
        try? FileManager.default.removeItem(atPath: file.string)
        try? Data("another".utf8).write(to: URL(fileURLWithPath: file.string))
      case .removed: try? FileManager.default.removeItem(atPath: file.string)
      }
    }
  }

  @Test(arguments: Change.allCases) func exportOfAPhotoThatChangesMeanwhile(_ change: Change) async throws {
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
    let backup = try WrittenBackup(try #require(summary.archive))
    expectNone(try backup.faults())
    #expect(backup.photos[1] == before[1] && backup.photos[3] == before[3])
    if change == .truncated || change == .grown {
      #expect(summary.isIncomplete)
      let named = summary.missing + summary.damaged
      #expect(named.map(\.item) == ["photo 2 “2” in “Family”"])
    } else {
      // an open file outlives its name: what was opened was read to its end
      #expect(!summary.isIncomplete)
      #expect(backup.photos[2] == before[2])
    }
  }

  @Test func verifyNamesAPhotoThatCannotBeRead() async throws {
    let fault = fault(.error(.ioError), below: try file(2))
    defer { fault.disarm() }
    let summary = try await Work.verify(library: library.path).summary
    #expect(summary.entriesChecked == 3)
    #expect(summary.damaged.map(\.item) == ["photo 3 “3” in “Family”"])
    #expect(summary.damaged.first?.message.contains("(errno 5)") == true)
  }

  @Test func addNamesAFileThatCannotBeRead() async throws {
    let folder = try scratch.makeFolder("pictures")
    for (id, bytes) in try library.bytesOfPhotos() {
      try scratch.write([0xFF, 0xD8, 0xFF, 0xE0] + bytes, to: "pictures/new \(id).jpg")
    }
    let fault = fault(.error(.ioError), at: 3, below: try real(folder.appending("new 2.jpg")))
    defer { fault.disarm() }
    let summary = try await Work.add([folder], to: library.path).summary
    #expect(fault.place != nil)
    #expect(summary.photosAdded == 2)
    #expect(summary.errors.count == 1)
    #expect(summary.errors.first?.message.contains("new 2.jpg") == true)
    expectNone(try library.faults())
    #expect(try library.contents.photos.count == 5)
  }

  /// The archive's disk does not give the bytes of one photo.
  @Test func importNamesAPhotoThatCannotBeRead() async throws {
    let archive = try #require(
      try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    let target = try SampleLibrary()
    let path = try real(archive)
    let reads = fault(.error(.ioError), at: .max, below: path)
    _ = try await SampleLibrary().importing(archive) { $0.readers = 1 }
    reads.disarm()
    let fault = fault(.error(.ioError), at: reads.count - 8, persists: false, below: path)
    defer { fault.disarm() }
    let summary = try await target.importing(archive) { $0.readers = 1 }
    #expect(fault.place != nil)
    #expect(summary.isIncomplete)
    #expect(summary.photosAbsent == 1)
    #expect(summary.errors.count == 1)
    #expect(summary.errors.first?.message.contains("(errno 5)") == true)
    #expect(try target.contents.photos.count == 2)
    expectNone(try target.faults())

    fault.disarm()
    #expect(try await !target.importing(archive).isIncomplete)
    #expect(try Set(target.contents.photos.map(\.md5)) == Set(library.contents.photos.map(\.md5)))
  }

  @Test func verifyNamesAnEntryThatCannotBeRead() async throws {
    let archive = try #require(
      try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    let path = try real(archive)
    let reads = fault(.error(.ioError), at: .max, below: path)
    #expect(try await Work.verify([archive]).summary.damaged.isEmpty)
    reads.disarm()
    let fault = fault(.error(.ioError), at: reads.count - 8, persists: false, below: path)
    defer { fault.disarm() }
    let summary = try await Work.verify([archive]).summary
    #expect(summary.damaged.count == 1)
    #expect(summary.damaged.first?.message.contains("(errno 5)") == true)
  }

  @Test func aJSONBackupsPhotoThatCannotBeReadIsNamed() async throws {
    let json = try #require(
      try await library.exporting(to: scratch.path.appending("x.json")) { $0.format = .json }.archive)
    let target = try SampleLibrary()
    let photos = library.path.appending("photos")
    // the first reading is for the MD5, the second brings the photo
    let perReading = Self.size / (1 << 18)
    let fault = fault(.error(.ioError), at: perReading + 4, below: try file(0))
    defer { fault.disarm() }
    let summary = try await target.importing(json) {
      $0.photosFrom = photos
      $0.readers = 1
    }
    #expect(fault.place != nil)
    #expect(summary.photosAbsent == 1)
    #expect(try target.contents.photos.count == 2)
    expectNone(try target.faults())
  }

  /// What the backups before it left out is not forgotten over the one that failed.
  @Test func severalBackupsOfWhichOneFailsNameWhatIsAbsent() async throws {
    let archive = try #require(
      try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    let second = try #require(
      try await library.exporting(to: scratch.path.appending("y.zip")).archive)
    let target = try SampleLibrary()
    let one = try real(archive)
    let reads = fault(.error(.ioError), at: .max, below: one)
    _ = try await SampleLibrary().importing(archive) { $0.readers = 1 }
    reads.disarm()
    let damage = fault(.error(.ioError), at: reads.count - 8, persists: false, below: one)
    let full = fault(.error(.noSpace), at: 8, of: .sync, below: try real(target.path))
    defer {
      damage.disarm()
      full.disarm()
    }
    let error = await #expect(throws: BackupError.self) {
      try await target.importing(archive, second) { $0.readers = 1 }
    }
    #expect(damage.place != nil && full.place != nil)
    guard case .stopped(second, after: [archive], let done, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(done.errors.count == 1 && done.errors.first?.item.hasPrefix("photo ") == true)
    #expect(error?.description.contains("imported before it: \(archive)") == true)
    #expect(error?.description.contains("(errno 28)") == true)
    expectNone(try target.faults())
  }
}
