import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// Entries that were made from the photos: thumbnails, and the pages of a gallery.
struct DerivedEntryTests {
  private let scratch = ScratchFolder()

  private static let names = [
    "thumbnails/thumb_1_a.jpg", "gallery/1.html", "gallery/about.html", "gallery/view/1.jpg", "index.html",
    "categories_summary.json",
  ]

  /// Makes a backup with derived entries.
  ///
  /// - Parameter damaged: the entry whose bytes are not those of its CRC.
  private func backup(damaged: String? = nil) throws -> FilePath {
    var backup = SampleBackup(photos: ["a", "b"])
    backup.members += Self.names.map { name in
      var member = ZipMember.stored(name, "derived \(name)")
      if name == damaged { member.data[0] ^= 1 }
      return member
    }
    return try backup.write(to: scratch)
  }

  @Test(
    "Derived entries: names in a folder for everything count, photos and folders of people do not",
    arguments: [
      ("index.html", true), ("phone/index.html", true), ("a/b/index.html", false),
      ("photos/index.html", false),
      ("thumbnails/thumb_x.jpg", true), ("phone/thumbnails/x.jpg", true), ("thumbnails/", false),
      ("gallery/1.html", true), ("gallery/IMG_1.jpg", false), ("gallery/view/1.jpg", true),
      ("phone/gallery/view/1.jpg", true), ("photos/gallery/view/1.jpg", false),
      ("categories_summary.json", true),
      ("photos/1_thumbnails.jpg", false),
    ])
  func classification(name: String, isDerived: Bool) {
    #expect(Entry.isDerived(name) == isDerived)
  }

  @Test("Import: derived entries are neither imported nor reported")
  func imported() async throws {
    let library = try SampleLibrary()
    let summary = try await library.importing(try backup())
    #expect(summary.photosImported == 2)
    #expect(summary.warnings == [])
    #expect(summary.findings == [])
  }

  @Test("Verify: damage to a derived entry is a warning", arguments: names)
  func verified(name: String) async throws {
    let path = try backup(damaged: name)
    let summary = try await Work.verify([path]).summary
    #expect(summary.damaged == [])
    #expect(summary.warnings.count == 1)
    #expect(summary.warnings.first?.contains(name) == true)
    #expect(summary.untracked == [])
  }

  @Test("Import: damage to a derived entry changes nothing", arguments: names)
  func importedDamaged(name: String) async throws {
    let library = try SampleLibrary()
    let summary = try await library.importing(try backup(damaged: name))
    #expect(summary.photosImported == 2)
    #expect(!summary.isIncomplete)
  }

  @Test("Repair: an archive without its damaged derived entries has all photos")
  func repaired() async throws {
    let path = try backup(damaged: "index.html")
    var options = RewriteOptions()
    options.destination = scratch.path.appending("repaired.zip")
    let summary = try await Work.repair(path, options: options).summary
    #expect(summary.unrecoverable == [])
    #expect(summary.warnings == [])
    let archive = try #require(summary.archive)
    #expect(try OpenedBackup(path: archive).photos.count == 2)
    #expect(try await Work.verify([archive]).summary.warnings == [])
  }

  @Test("Salvage: derived entries of an archive without its end are not photos")
  func salvaged() async throws {
    let library = try SampleLibrary()
    let path = try backup()
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path.string))
    try file.truncate(atOffset: try file.seekToEnd() - 22)
    let summary = try await library.importing(path) { $0.salvages = true }
    #expect(summary.photosImported == 2)
    #expect(!summary.errors.contains { finding in Self.names.contains { finding.message.contains($0) } })
  }
}
