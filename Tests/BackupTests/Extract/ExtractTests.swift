import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

@Suite struct ExtractTests {
  let scratch = ScratchFolder()
  let folder: FilePath

  init() throws {
    folder = scratch.path.appending("out")
  }

  private func extract(
    _ archive: FilePath, configure: (inout ExtractOptions) -> Void = { _ in }
  ) async throws -> ExtractSummary {
    var options = ExtractOptions()
    configure(&options)
    return try await Work.extract(archive, to: folder, options: options).summary
  }

  @Test("Extract: every photo becomes a file with a safe and unique name", arguments: GeneratedLibrary.all)
  func everyPhoto(_ generated: GeneratedLibrary) async throws {
    let library = try generated.make()
    let archive = try await library.exporting(to: scratch.path.appending("a.zip")).archive
    let summary = try await extract(try #require(archive))
    let bytes = try library.bytesOfPhotos()
    #expect(summary.filesWritten == bytes.count)
    #expect(!summary.isIncomplete)
    let tree = try FolderTree(folder)
    let files = tree.fileNames.compactMap { tree.files[$0] }
    #expect(
      files.sorted { $0.lexicographicallyPrecedes($1) }
        == bytes.values.sorted { $0.lexicographicallyPrecedes($1) })
    // one level of folders, no hidden names, no names that are equal on another file system
    let keys = tree.fileNames.map { $0.precomposedStringWithCanonicalMapping.lowercased() }
    #expect(Set(keys).count == keys.count)
    for name in tree.fileNames {
      #expect(name.utf8.count { $0 == UInt8(ascii: "/") } == 1)
      #expect(!name.hasPrefix("."))
      #expect(!name.contains("/."))
    }
    let again = try await extract(try #require(archive))
    #expect(again.filesWritten == 0)
    #expect(again.filesKept == bytes.count)
  }

  /// A dry run creates no folder: it measures the free space of the parent folder.
  @Test("Extract: photos that do not fit are refused, with the free space", arguments: [false, true])
  func lackOfSpace(_ isDryRun: Bool) async throws {
    let archive = try SampleBackup(photos: ["a"]).write(to: scratch)
    let fault = ArmedFault(.fileSystem(type: 0, freeBytes: 12), below: scratch.path)
    defer { fault.disarm() }
    let error = await #expect(throws: BackupError.self) {
      try await extract(archive) { $0.isDryRun = isDryRun }
    }
    #expect(error?.description.contains("12 are free") == true)
  }

  @Test("Extract: a declared size near the largest integer is refused as too large")
  func largestSize() async throws {
    var backup = SampleBackup(photos: ["a"])
    // the size of all files is within the range of integers, the space that they need is not
    backup.declareSize(UInt64(Int.max - 3000), ofMember: 0)
    let archive = try backup.write(to: scratch)
    let error = await #expect(throws: BackupError.self) {
      try await extract(archive) { $0.limits.maximumBytes = .max }
    }
    #expect(error?.description.contains("\(Int.max) bytes") == true)
  }

  @Test("Extract: the overwrite rule decides on existing files", arguments: OverwriteRule.allCases)
  func overwriteRule(_ rule: OverwriteRule) async throws {
    let archive = try SampleBackup(photos: ["a", "b", "c"]).write(to: scratch)
    try scratch.write("mine", to: "out/Family/b.jpg")
    try scratch.write("c", to: "out/Family/c.jpg")
    try scratch.write([1], to: "out/Family/d.jpg")
    let summary = try await extract(archive) { $0.overwrite = rule }
    let expected: (written: Int, replaced: Int, kept: Int, errors: Int) =
      switch rule {
      case .never: (1, 0, 1, 1)
      case .ifChanged: (2, 1, 1, 0)
      case .always: (3, 2, 0, 0)
      }
    #expect(summary.filesWritten == expected.written)
    #expect(summary.filesReplaced == expected.replaced)
    #expect(summary.filesKept == expected.kept)
    #expect(summary.errors.count == expected.errors)
    let tree = try FolderTree(folder)
    #expect(tree.fileNames == ["Family/a.jpg", "Family/b.jpg", "Family/c.jpg", "Family/d.jpg"])
    #expect(tree.files["Family/b.jpg"] == Array((rule == .never ? "mine" : "b").utf8))
    #expect(tree.files["Family/d.jpg"] == [1])
  }

  @Test("Extract: by default, a changed file is reported and not replaced")
  func defaultRule() async throws {
    let archive = try SampleBackup(photos: ["a", "b"]).write(to: scratch)
    try scratch.write("mine", to: "out/Family/b.jpg")
    let summary = try await extract(archive)
    #expect(summary.filesWritten == 1)
    #expect(summary.filesReplaced == 0)
    #expect(summary.errors.count == 1)
    #expect(summary.errors.first?.remedy == .overwriteChanged)
    #expect(try FolderTree(folder).files["Family/b.jpg"] == Array("mine".utf8))
  }

  @Test(
    "Extract: a corrupt photo is reported and neither creates nor replaces a file",
    arguments: DamagedPhotoTests.faults)
  func corruptPhoto(_ fault: DamagedPhotoTests.Fault) async throws {
    var backup = SampleBackup(photos: ["a", "b", "c"])
    fault.damage(&backup)
    let archive = try backup.write(to: scratch)
    for _ in 1...2 {
      let summary = try await extract(archive)
      #expect(summary.errors.map(\.item) == ["photo 2 “b” in “Family”"])
      #expect(summary.errors.first?.message.contains(fault.mentions) == true)
      #expect(try FolderTree(folder).files.keys.sorted() == ["Family/", "Family/a.jpg", "Family/c.jpg"])
    }
    // an intact file that exists is not replaced
    try scratch.write("b", to: "out/Family/b.jpg")
    _ = try await extract(archive) { $0.overwrite = .always }
    #expect(try FolderTree(folder).files["Family/b.jpg"] == Array("b".utf8))
  }

  @Test("Extract: photos without a checksum are compared with existing files")
  func withoutChecksums() async throws {
    var backup = SampleBackup(photos: ["a", "b"])
    for index in 0...1 { backup.metadata.photoManifest[index].checksum = nil }
    let archive = try backup.write(to: scratch)
    try scratch.write("x", to: "out/Family/a.jpg")
    try scratch.write("b", to: "out/Family/b.jpg")
    let summary = try await extract(archive) { $0.overwrite = .ifChanged }
    #expect(summary.filesReplaced == 1)
    #expect(summary.filesKept == 1)
    #expect(try FolderTree(folder).files["Family/a.jpg"] == Array("a".utf8))
  }

  @Test("Extract: a file that appears during the extraction is not overwritten")
  func concurrentFile() throws {
    let target = try #require(try ExtractTarget.open(folder, forWriting: true))
    let publication = ExtractPublication(in: target)
    let family: FilePath = "Family"
    try target.makeFolder(family)
    for (index, name) in ["a", "b"].enumerated() {
      let hidden = family.appending(PartialName.lockedFolder.random().components)
      try target.root.open(hidden, .create).write(Array(name.utf8), at: 0)
      try publication.add(
        .init(
          index: index, hidden: hidden, name: family.appending(name), size: 1, replaces: false
        ))
    }
    try scratch.write("mine", to: "out/Family/b")
    let (published, taken) = try publication.finish()
    #expect(published.map(\.index) == [0])
    #expect(taken.map(\.index) == [1])
    #expect(
      try FolderTree(folder).files == ["Family/": [], "Family/a": [97], "Family/b": Array("mine".utf8)])
  }
}
