import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Reads `checksums.md5` of an archive under faults.
struct ChecksumListTests {
  private let scratch = ScratchFolder()
  private let archive: FilePath

  init() async throws {
    let library = try SampleLibrary(
      [.init(id: 1, fileName: "1.jpg", bytes: [1, 2, 3])], categories: [.sample(1, "family")])
    archive = try #require(try await library.exporting(to: scratch.path).archive)
  }

  /// Otherwise a list that was not compared would count as verified.
  @Test(
    "Checksum list: a lack of memory or file descriptors is an error",
    arguments: [Errno.noMemory, .tooManyOpenFiles])
  func environmentFailure(_ shortage: Errno) throws {
    let source = try OpenedBackup(path: archive)
    let fault = fault(shortage)
    defer { fault.disarm() }
    #expect(throws: ArchiveError.self) { try ChecksumList(of: source) }
  }

  /// The check of the list's own entry reports the error.
  @Test("Checksum list: an unreadable list is empty")
  func unreadableList() throws {
    let source = try OpenedBackup(path: archive)
    let entry = try #require(source.archive?.entries.first { $0.name.hasPrefix("photos/") })
    #expect(try ChecksumList(of: source)[entry] != nil)
    let fault = fault(.ioError)
    defer { fault.disarm() }
    #expect(try ChecksumList(of: source)[entry] == nil)
  }

  private func fault(_ errno: Errno) -> ArmedFault {
    ArmedFault(.error(errno), at: 1, of: [.read], persists: true, below: archive)
  }
}
