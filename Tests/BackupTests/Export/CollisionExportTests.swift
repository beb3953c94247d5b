import ArchiveCatalog
import Checksums
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Exports of a library in which the file of photo 1 was exchanged for a photo with the same MD5.
struct CollisionExportTests {
  /// The kind of the archive.
  enum Kind: CaseIterable { case full, encrypted, split, incremental, verified }

  private static let reason = "its file has another photo with the same MD5"
  private static let password: Secret = "a long enough password"
  private let scene: CollidingPhotos
  /// The bytes of photo 2, which is intact.
  private let plain = Array("a photo without a twin".utf8)

  init() throws { scene = try CollidingPhotos() }

  private func configure(_ options: inout ExportOptions, _ kind: Kind) {
    switch kind {
    case .full: break
    case .encrypted: options.password = Self.password
    case .split:
      var limits = PhoneLimits()
      limits.entries = 3
      options.phoneLimits = limits
    case .incremental: options.isIncremental = true
    case .verified: options.verifies = true
    }
  }

  /// Makes a library with photo 1, of which another photo has the MD5, and photo 2.
  private func library() async throws -> SampleLibrary {
    let library = try await scene.bring(0, into: nil, .added)
    var options = AddOptions()
    options.category = "Family"
    let file = try scene.scratch.write(plain, to: "plain.jpg")
    _ = try await Work.add([file], to: library.path, options: options).summary
    return library
  }

  private func archives(in folder: FilePath, _ kind: Kind) throws -> [ArchiveDescriptor] {
    try ArchiveInventory(folder: folder, password: kind == .encrypted ? Self.password : nil).archives
  }

  /// Restores archives. Returns the bytes of each restored photo, by ID.
  private func restore(_ archives: [FilePath], _ kind: Kind = .full) async throws -> [Int64: [UInt8]] {
    try await SampleLibrary.importing(archives) {
      if kind == .encrypted { $0.password = Self.password }
    }.bytesOfPhotos()
  }

  @Test("Export: a file that was exchanged for one with the same MD5 is missing", arguments: Kind.allCases)
  func exchanged(kind: Kind) async throws {
    let library = try await library()
    try scene.exchange(in: library)
    let folder = try scene.scratch.makeFolder("backups")
    let summary = try await library.exporting(to: folder) { configure(&$0, kind) }
    #expect(summary.missing.map(\.message) == ["photo 1 “0” in “Family”: \(Self.reason)"])
    #expect(summary.corruptInLibrary == [])
    #expect(summary.photos == 1)
    #expect(try archives(in: folder, kind).flatMap(\.missingPhotos).map(\.id) == [1])
    #expect(try await restore(summary.archives, kind) == [2: plain])
  }

  @Test("Export: intact photos with content tags are archived", arguments: Kind.allCases)
  func intact(kind: Kind) async throws {
    let library = try await library()
    let folder = try scene.scratch.makeFolder("backups")
    let summary = try await library.exporting(to: folder) { configure(&$0, kind) }
    #expect(!summary.isIncomplete)
    #expect(try await restore(summary.archives, kind) == [1: scene.photos[0], 2: plain])
  }

  @Test("Export: a corrupt file of a photo with a content tag is archived and reported as corrupt")
  func corrupt() async throws {
    let library = try await library()
    let file = library.file(of: try library.contents.photos[0])
    try Data(scene.photos[0].dropLast() + [1]).write(to: URL(fileURLWithPath: file.string))
    let summary = try await library.exporting(to: scene.scratch.path.appending("corrupt.zip"))
    #expect(summary.corruptInLibrary.map(\.item) == ["photo 1 “0” in “Family”"])
    #expect(summary.missing == [])
  }

  @Test("Export: a corrupt photo stays in the archive when another one is missing")
  func corruptBesideMissing() async throws {
    let library = try await library()
    let photos = try library.contents.photos
    try Data([UInt8](repeating: 1, count: plain.count)).write(
      to: URL(fileURLWithPath: library.file(of: photos[1]).string))
    try FileManager.default.removeItem(atPath: library.file(of: photos[0]).string)
    let summary = try await library.exporting(to: scene.scratch.path.appending("corrupt.zip"))
    #expect(summary.corruptInLibrary.map(\.item) == ["photo 2 “plain” in “Family”"])
    #expect(summary.missing.map(\.item) == ["photo 1 “0” in “Family”"])
  }

  @Test("Export: a photo without a content tag is compared by its MD5")
  func withoutTag() async throws {
    let library = try await scene.bring(0, into: nil, .ofOlderVersion)
    try scene.exchange(in: library)
    let summary = try await library.exporting(to: scene.scratch.path.appending("older.zip"))
    #expect(!summary.isIncomplete)
  }

  @Test("Export: an increment keeps the base's photo if its file was exchanged in the library")
  func increment() async throws {
    let library = try await library()
    let folder = try scene.scratch.makeFolder("backups")
    try await library.exporting(to: folder) { $0.isIncremental = true }
    try scene.exchange(in: library)
    let summary = try await library.exporting(to: folder) { $0.isIncremental = true }
    #expect(summary.increment?.photosStoredInBase == 2)
    #expect(
      summary.findings.map(\.message)
        == ["photo 1 “0” in “Family”: \(Self.reason); the base contains an intact file"])
    #expect(try await restore(summary.archives) == [1: scene.photos[0], 2: plain])
  }

  @Test("Export: an increment stores a missing photo when its file is restored")
  func laterIncrement() async throws {
    let library = try await library()
    try scene.exchange(in: library)
    let folder = try scene.scratch.makeFolder("backups")
    try await library.exporting(to: folder) { $0.isIncremental = true }
    let one = try await scene.archive(of: scene.photos[0], as: "one.zip")
    #expect(try await Work.repairLibrary(library.path, from: [one]).summary.repaired.count == 1)
    let summary = try await library.exporting(to: folder) { $0.isIncremental = true }
    #expect(summary.bytes == scene.photos[0].count)
    #expect(!summary.isIncomplete)
    #expect(try await restore(summary.archives) == [1: scene.photos[0], 2: plain])
  }

  @Test("Library: a check of its photos reports a file that was exchanged", arguments: [nil, 0])
  func corruptPhotos(modifiedAfter moment: Int64?) async throws {
    let library = try await library()
    try scene.exchange(in: library)
    let findings = try Library(path: library.path).corruptPhotos(
      in: library.contents, modifiedAfter: moment, ExportOptions(), ProgressCounter())
    let base = moment == nil ? "" : "; the base contains an intact file"
    #expect(findings.map(\.message) == ["photo 1 “0” in “Family”: \(Self.reason)\(base)"])
  }
}
