import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// What a split leaves when it fails on the way.
@Suite(.serialized) struct SplitFaultTests {
  private let scratch: ScratchFolder
  private let library: SampleLibrary
  private let out: FilePath

  init() throws {
    scratch = try ScratchFolder()
    library = try SplitTests.library(20)
    // a fault is armed for a path without links
    let folder = try scratch.makeFolder("out")
    out = FilePath(URL(fileURLWithPath: folder.string).resolvingSymlinksInPath().path)
  }

  private func split() async throws -> ExportSummary {
    try await library.exporting(to: out) { $0.split = .phone(SplitTests.limits(entries: 9)) }
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: out.string).sorted()
  }

  /// Between two names: what is there says that it is one of several, and the next run makes a whole set.
  @Test func aSetThatIsCutShortSaysSo() async throws {
    let fault = ArmedFault(
      Fault(.error(.noSpace), at: 3, of: .only([.linkDescriptor]), persists: true, below: out))
    let error = await #expect(throws: BackupError.self) { _ = try await split() }
    fault.disarm()
    let left = try names()
    #expect(left.allSatisfy { error?.description.contains($0) == true })
    try #require(left.count == 2)
    #expect(left[0].contains("_1of") && left[1].contains("_2of"))
    for (index, name) in left.enumerated() {
      let backup = try WrittenBackup(out.appending(name))
      expectNone(try backup.faults())
      let part = try #require(backup.metadata.smilepile?.part)
      #expect(part.number == index + 1 && part.count > 2)
    }
    let copy = try await SampleLibrary.importing(left.map { out.appending($0) })
    #expect(try copy.contents.photos.count < library.contents.photos.count)
    // the cut set is there again, under another number
    let whole = try await split()
    let again = try await SampleLibrary.importing(whole.archives)
    #expect(try LibraryContent(again) == LibraryContent(library))
  }

  /// Of a set, nothing has a name before all of it is on the disk.
  @Test(arguments: 1...3) func aFlushThatFailsLeavesNothing(_ number: Int) async throws {
    let fault = ArmedFault(Fault(.error(.ioError), at: number, of: .only([.sync]), below: out))
    defer { fault.disarm() }
    await #expect(throws: FileError.self) { _ = try await split() }
    #expect(try names() == [])
  }

  @Test(arguments: [1, 20, 45]) func aFullDiskLeavesNothing(_ number: Int) async throws {
    let fault = ArmedFault(
      Fault(.error(.noSpace), at: number, of: .only([.write]), persists: true, below: out))
    let result = try? await split()
    let place = fault.place
    fault.disarm()
    #expect(place == nil || result == nil && (try? names()) == [])
  }

  /// A photo of the last part cannot be read: all parts are written once more, and none tells of another state.
  @Test func aPhotoThatCannotBeReadIsLeftOutOfTheSet() async throws {
    let photo = try #require(try library.contents.photos.last { !$0.isFromAssets && $0.fileSize > 0 })
    let path = FilePath(URL(fileURLWithPath: library.file(of: photo).string).resolvingSymlinksInPath().path)
    let fault = ArmedFault(Fault(.error(.ioError), of: .only([.read]), persists: true, below: path))
    let summary = try await split()
    fault.disarm()
    #expect(summary.missing.count == 1 && summary.isIncomplete && summary.archives.count == summary.parts)
    let parts = try summary.archives.map { try WrittenBackup($0) }
    for part in parts { expectNone(try part.faults()) }
    #expect(Set(parts.map { $0.metadata.smilepile?.state }).count == 1)
    let ids = parts.flatMap { $0.metadata.photos.map(\.id) }.sorted()
    #expect(try ids == library.contents.photos.map(\.id))
  }
}
