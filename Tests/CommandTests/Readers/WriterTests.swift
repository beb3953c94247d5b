import Foundation
import TestSupport
import Testing

/// Other programs repack a backup. They differ in what they write before and after the data of an entry.
@Suite("Archives of other programs", .waitsForPrograms)
struct WriterTests {
  private static let imported =
    "imported 9 photos (8 files) and 4 categories, skipped 0 that already exist; 1 photo missing\n"

  @Test("Import: a backup repacked by another program is complete", arguments: Packer.installed)
  func repacked(_ packer: Packer) throws {
    let bench = Workbench()
    try packer.pack(Fixture.entries(), in: bench.folder)
    try bench.run("smilepile init Library")
    #expect(try bench.run("smilepile import -l Library a.zip", exit: 3) == Self.imported)
    #expect(try bench.run("smilepile verify a.zip -q") == "checked 9 entries: all intact\n")
    #expect(try bench.run("smilepile verify -l Library -q") == "checked 8 photos: all intact\n")
    try expectEveryPhoto(in: "Library", of: bench)
  }

  /// Truncates the archive at the start of the central directory, and 100 bytes after it.
  @Test(
    "Import: `--salvage` finds every photo of a truncated archive of another program",
    arguments: Packer.installed)
  func truncated(_ packer: Packer) throws {
    let bench = Workbench()
    try packer.pack(Fixture.entries(), in: bench.folder)
    let archive = Array(try Data(contentsOf: URL(fileURLWithPath: bench.path("a.zip"))))
    let directory = try #require(
      archive.indices.dropLast(4).first { Array(archive[$0..<$0 + 4]) == [0x50, 0x4B, 1, 2] })
    for extra in [0, 100] {
      try bench.folder.write(Array(archive[..<(directory + extra)]), to: "cut.zip")
      try bench.run("smilepile init Library\(extra)")
      let output = try bench.run("smilepile import -q --salvage -l Library\(extra) cut.zip", exit: 3)
      #expect(output == Self.imported)
      try expectEveryPhoto(in: "Library\(extra)", of: bench)
    }
  }

  private func expectEveryPhoto(in library: String, of bench: Workbench) throws {
    let restored = try FolderTree(bench.folder.path.appending("\(library)/photos"))
    let expected = try Fixture.photos().map(\.bytes)
    #expect(Set(restored.fileNames.compactMap { restored.files[$0] }) == Set(expected))
  }
}
