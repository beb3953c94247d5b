import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Destinations that are full, are network file systems, or fail at the last flush.
@Suite struct DestinationFaultTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary

  init() throws {
    library = try SampleLibrary(
      [.init(id: 1, fileName: "1.jpg", bytes: Array("photo".utf8))], categories: [.sample(1, "family")])
  }

  @Test("Export: if the folder cannot be flushed, the archive is published with a warning")
  func failedFolderFlush() async throws {
    let out = try scratch.makeFolder("out")
    // the first flush is of the file, the second of the folder
    let fault = ArmedFault(.error(.ioError), at: 2, of: [.sync], below: out)
    defer { fault.disarm() }
    let summary = try await library.exporting(to: out)
    let archive = try #require(summary.archive)
    #expect(!summary.isIncomplete)
    #expect(summary.warnings.count == 1)
    #expect(summary.warnings.first?.contains("may be lost in a power failure") == true)
    #expect(summary.warnings.first?.contains("(errno 5)") == true)
    expectNone(try WrittenBackup(archive).faults())
  }

  @Test(
    "Export: a backup that does not fit is refused, with the free space",
    arguments: [ExportOptions.Format.zip, .json], [false, true])
  func exportSpace(
    _ format: ExportOptions.Format, _ isDryRun: Bool
  ) async throws {
    let out = try scratch.makeFolder("out")
    let fault = ArmedFault(.fileSystem(type: 0, freeBytes: 12_345), below: out)
    defer { fault.disarm() }
    let error = await #expect(throws: BackupError.self) {
      try await library.exporting(to: out) { options in
        options.format = format
        options.isDryRun = isDryRun
      }
    }
    #expect(error?.description.contains("12345 are free") == true)
    #expect(error?.description.contains("\(out)") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: out.string).isEmpty)
  }

  @Test(
    "Import: a backup that does not fit is refused and the library is unchanged", arguments: [false, true])
  func importSpace(_ isDryRun: Bool) async throws {
    let archive = try #require(try await library.exporting(to: scratch.path.appending("x.zip")).archive)
    let target = try SampleLibrary()
    let before = try target.tree
    let fault = ArmedFault(.fileSystem(type: 0, freeBytes: 12_345), below: target.path)
    defer { fault.disarm() }
    let error = await #expect(throws: LibraryError.self) {
      try await target.importing(archive) { $0.isDryRun = isDryRun }
    }
    #expect(error == .notEnoughSpace(target.path, needed: 5 + 4 << 20, free: 12_345))
    #expect(error?.description.contains("12345 are free") == true)
    fault.disarm()
    #expect(try target.tree.differences(from: before) == [])
  }

  /// The import flushes many photos with one call.
  @Test("Import: if the flush of many photos fails, nothing is imported")
  func failedFlush() async throws {
    let many = try SampleLibrary(
      (1...40).map { .init(id: $0, fileName: "\($0).jpg", bytes: [0xFF, 0xD8, UInt8($0)]) },
      categories: [.sample(1, "family")])
    let archive = try #require(try await Work.export(many.path, to: scratch.path).summary.archive)
    let target = scratch.path.appending("Target")
    try Library.create(at: target)
    let disk = ArmedFault(
      .fileSystem(type: 0xEF53, freeBytes: 1 << 40), of: [.fileSystem], persists: true, below: target)
    defer { disk.disarm() }
    let fault = ArmedFault(.error(.ioError), of: [.syncFileSystem], below: target)
    await #expect(throws: FileError.self) { try await Work.import([archive], into: target).summary }
    fault.disarm()
    #expect(fault.count == 1)
    #expect(try Library(path: target).contents().photos.isEmpty)
    #expect(try await Work.import([archive], into: target).summary.photosImported == 40)
  }

  @Test(
    "Library: a network file system is refused",
    arguments: [(0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2")])
  func libraryOnNetwork(type: Int, name: String) async throws {
    let fault = ArmedFault(.fileSystem(type: type, freeBytes: 1 << 40), below: scratch.path)
    defer { fault.disarm() }
    let new = scratch.path.appending("Library")
    #expect(throws: LibraryError.networkFileSystem(new, protocol: name)) { try Library.create(at: new) }
    #expect(!FileManager.default.fileExists(atPath: new.appending("library.sqlite").string))

    let other = ArmedFault(.fileSystem(type: type, freeBytes: 1 << 40), below: library.path)
    defer { other.disarm() }
    let refused = LibraryError.networkFileSystem(library.path, protocol: name)
    #expect(throws: refused) { _ = try Library(path: library.path) }
    #expect(throws: refused) { _ = try LibraryWriter(path: library.path) }
  }

  @Test("Export: an archive is written to a network file system")
  func archiveOnNetwork() async throws {
    let out = try scratch.makeFolder("out")
    let fault = ArmedFault(.fileSystem(type: 0x6969, freeBytes: 1 << 40), below: out)
    defer { fault.disarm() }
    #expect(try await library.exporting(to: out).archive != nil)
  }
}
