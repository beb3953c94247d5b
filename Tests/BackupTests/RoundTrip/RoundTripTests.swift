import Foundation
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Exports a library, imports the backup into a new library and exports that. Nothing changes, and both apps can read
/// the archives.
@Suite struct RoundTripTests {
  @Test(
    "Round trip: export, import and export again preserve the library",
    arguments: GeneratedLibrary.all, [ImportStrategy.merge, .replace])
  func roundTrip(_ generated: GeneratedLibrary, _ strategy: ImportStrategy) async throws {
    let scratch = ScratchFolder()
    let library = try generated.make()
    let first = try await library.exporting(to: scratch.path.appending("1.zip")) { $0.verifies = true }
    #expect(first.missing == [])
    #expect(first.corruptInLibrary == [])
    #expect(first.phoneRefusals == [])
    #expect(!first.isIncomplete)
    let firstBackup = try WrittenBackup.intact(first.archive)
    #expect(try firstBackup.photos == library.bytesOfPhotos())

    let copy = try SampleLibrary()
    let restored = try await copy.importing(firstBackup.path) { $0.strategy = strategy }
    #expect(restored.photosImported == generated.members.count)
    #expect(!restored.isIncomplete)
    #expect(restored.categoriesImported == generated.categories.count)
    #expect(restored.warnings == [])
    #expect(restored.photosSkipped == 0)
    expectNone(try copy.faults())

    let second = try await copy.exporting(to: scratch.path.appending("2.zip"))
    let secondBackup = try WrittenBackup(try #require(second.archive))
    #expect(secondBackup.lasting == firstBackup.lasting)
    #expect(secondBackup.photos == firstBackup.photos)
    expectNone(try secondBackup.faults())
    // the names of the files do not change
    let (names, oldNames) = (try copy.photoFiles, try library.photoFiles)
    #expect(names == oldNames)
  }

  @Test("Round trip: 5000 small photos are preserved")
  func manyPhotos() async throws {
    let scratch = ScratchFolder()
    var backup = SampleBackup()
    for id in 1...5000 {
      backup.add(
        id: Int64(id), name: "IMG_\(id % 3000)", date: Timestamp(rawValue: Int64(id) << 23),
        bytes: Array("photo \(id)".utf8))
    }
    let library = try SampleLibrary()
    let imported = try await library.importing(try backup.write(to: scratch))
    #expect(imported.photosImported == 5000)
    #expect(imported.photoFilesWritten == 5000)

    let summary = try await library.exporting(to: scratch.path.appending("2.zip"))
    #expect(summary.photos == 5000)
    #expect(summary.phoneRefusals == [])
    let written = try WrittenBackup.intact(summary.archive)
    #expect(written.metadata.categories.map(\.name) == backup.metadata.categories.map(\.name))
    #expect(written.metadata.photos.map(\.name) == backup.metadata.photos.map(\.name))
    #expect(written.metadata.photos.map(\.createdAt) == backup.metadata.photos.map(\.createdAt))
    #expect(written.photos == backup.photos)

    let again = try await library.importing(written.path)
    #expect(again.photosImported == 0)
    #expect(again.photosSkipped == 5000)
    #expect(!again.isIncomplete)
  }

  @Test("Round trip: random file names are preserved", arguments: 0..<12)
  func randomNames(_ seed: Int) async throws {
    var random = SeededNumbers(seed: UInt64(seed))
    let letters: [Unicode.Scalar] = [
      ".", ".", " ", "/", "\\", "\u{301}", "é", "😀", "ж", "界", ":", "\n", "\u{202E}", "-", "a", "\u{1}",
      "\u{85}",
      "\u{200D}", "🏽", "\u{FE0F}", "\u{2028}", "\"",
    ]
    let names = (0..<25).map { _ in
      let count = Int.random(in: 0...10, using: &random) * Int.random(in: 1...12, using: &random)
      var name = String.UnicodeScalarView()
      for _ in 0..<count { letters.randomElement(using: &random).map { name.append($0) } }
      return String(name)
    }
    try await roundTrip(GeneratedLibrary("random", fileNames: names), .merge)
  }

  @Test("Round trip: the export of an Android backup is readable on iOS")
  func androidToIOS() async throws {
    let (library, scratch) = (try SampleLibrary(), ScratchFolder())
    try await library.importing(Fixture.android.path)
    let summary = try await library.exporting(to: scratch.path)
    let backup = try WrittenBackup.intact(summary.archive)
    #expect(summary.phoneRefusals == [])
    #expect(backup.strict.photos.count == 9)
    #expect(backup.strict.photoManifest.count == 8)
    #expect(backup.strict.settings?.isDarkMode == true)
    #expect(backup.strict.settings?.securitySettings.kidSafeModeEnabled == true)
    let original = try Fixture.android.metadata
    #expect(backup.metadata.categories.map(\.displayName) == original.categories.map(\.displayName))
    #expect(
      Set(backup.strict.photoManifest.map(\.checksum)) == Set(original.photoManifest.map(\.checksum)))
    #expect(backup.strict.photoManifest.map(\.originalPath) == original.photoManifest.map(\.originalPath))
  }
}

extension SampleLibrary {
  /// The names of the files in the photo folder.
  fileprivate var photoFiles: [String] {
    get throws { try tree.fileNames.filter { $0.hasPrefix("photos/") } }
  }
}
