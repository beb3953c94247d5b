import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// What `export --split` leaves after a failure.
@Suite(.serialized) struct SplitFaultTests {
  private let scratch = ScratchFolder()
  private let library: SampleLibrary
  private let out: FilePath

  init() throws {
    library = try SplitTests.library(20)
    out = try scratch.makeFolder("out")
  }

  private func split() async throws -> ExportSummary {
    try await library.exporting(to: out) { $0.phoneLimits = SplitTests.limits(entries: 9) }
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: out.string).sorted()
  }

  /// The export fails after two parts are published.
  @Test("Split export: parts of an incomplete set are marked, and the next export is complete")
  func interruptedPublication() async throws {
    let fault = ArmedFault(.error(.noSpace), at: 3, of: [.linkDescriptor], persists: true, below: out)
    let error = await #expect(throws: BackupError.self) { _ = try await split() }
    fault.disarm()
    let left = try names()
    #expect(left.allSatisfy { error?.description.contains($0) == true })
    try #require(left.count == 2)
    #expect(left[0].contains("_1of"))
    #expect(left[1].contains("_2of"))
    for (index, name) in left.enumerated() {
      let backup = try WrittenBackup(out.appending(name))
      expectNone(try backup.faults())
      let part = try #require(backup.metadata.smilepile?.part)
      #expect(part.number == index + 1)
      #expect(part.count > 2)
    }
    let copy = try await SampleLibrary.importing(left.map { out.appending($0) })
    #expect(try copy.contents.photos.count < library.contents.photos.count)
    // the next export publishes a complete set under another ID
    let complete = try await split()
    let again = try await SampleLibrary.importing(complete.archives)
    #expect(try LibraryContent(again) == LibraryContent(library))
  }

  /// No part is published before all parts are durable.
  @Test("Split export: no part is published if one of them cannot be flushed", arguments: 1...3)
  func failedFlush(_ number: Int) async throws {
    let fault = ArmedFault(.error(.ioError), at: number, of: [.sync], below: out)
    defer { fault.disarm() }
    await #expect(throws: FileError.self) { _ = try await split() }
    #expect(try names() == [])
  }

  @Test("Split export: a full disk leaves no part", arguments: [1, 20, 45])
  func fullDisk(_ number: Int) async throws {
    let fault = ArmedFault(.error(.noSpace), at: number, of: [.write], persists: true, below: out)
    let result = try? await split()
    let place = fault.place
    fault.disarm()
    guard place != nil else { return }
    #expect(result == nil)
    #expect(try names() == [])
  }

  /// The photo belongs to the last part. All parts are written again, so that their fingerprints agree.
  @Test("Split export: an unreadable photo is reported, and all parts have one fingerprint")
  func unreadablePhoto() async throws {
    let photo = try #require(try library.contents.photos.last { !$0.isFromAssets && $0.fileSize > 0 })
    let fault = ArmedFault(
      Fault(.error(.ioError), of: .only([.read]), persists: true, below: library.file(of: photo)))
    let summary = try await split()
    fault.disarm()
    #expect(summary.missing.count == 1)
    #expect(summary.isIncomplete)
    #expect(summary.archives.count == summary.parts)
    let parts = try summary.archives.map { try WrittenBackup($0) }
    for part in parts { expectNone(try part.faults()) }
    #expect(Set(parts.map { $0.metadata.smilepile?.fingerprint }).count == 1)
    let ids = parts.flatMap { $0.metadata.photos.map(\.id) }.sorted()
    #expect(try ids == library.contents.photos.map(\.id))
  }
}
