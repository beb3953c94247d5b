import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Backup

/// Operations other than import with an archive of every shape that has photo files.
@Suite struct ShapeOperationsTests {
  static let archives = PhoneBackups.all.filter { $0.isArchive && $0.app != nil && !$0.taken.files.isEmpty }

  private let scratch = ScratchFolder()

  private func write(_ backup: PhoneBackup) throws -> FilePath {
    try scratch.write(backup.bytes, to: backup.fileName)
  }

  /// How often each content occurs.
  private func counted(_ contents: [[UInt8]]) -> [[UInt8]: Int] {
    Dictionary(contents.map { ($0, 1) }, uniquingKeysWith: +)
  }

  @Test("Shapes: verify finds no damage", arguments: archives)
  func verify(_ backup: PhoneBackup) async throws {
    let summary = try await Work.verify([write(backup)]).summary
    #expect(summary.damaged == [])
    #expect(summary.untracked == [])
    #expect(summary.entriesChecked > backup.taken.files.count)
  }

  @Test("Shapes: extract writes the bytes of each photo", arguments: archives)
  func extract(_ backup: PhoneBackup) async throws {
    let folder = scratch.path.appending("photos")
    let summary = try await Work.extract(write(backup), to: folder).summary
    #expect(summary.filesWritten == backup.taken.files.count)
    #expect(summary.isIncomplete == !backup.taken.lost.isEmpty)
    let files = try FolderTree(folder).files.filter { !$0.key.hasSuffix("/") && !$0.key.hasPrefix(".") }
    #expect(counted(Array(files.values)) == counted(backup.taken.files))
  }

  @Test("Shapes: diff finds no difference between a backup and its imported library", arguments: archives)
  func diff(_ backup: PhoneBackup) async throws {
    let (file, library) = (try write(backup), try SampleLibrary())
    try await library.importing(file)
    let report = try await Work.diff(from: file, to: library.path).summary
    // a photo whose file is missing has only a row in the backup
    let lost = backup.taken.lost.count
    #expect(report.diff.changes.count == lost, "\(report.diff.changes)")
  }

  @Test("Shapes: find finds every photo", arguments: archives)
  func find(_ backup: PhoneBackup) async throws {
    let file = try write(backup)
    for photo in backup.taken.photos {
      var selection = PhotoSelection()
      selection.names = [photo.name]
      let summary = try await Work.find(selection, in: [file]).summary
      #expect(summary.notSearched == [])
      #expect(summary.photos.contains { $0.record.name == photo.name }, "\(photo.name)")
    }
  }

  @Test(
    "Shapes: repair of a truncated archive recovers every photo from another copy",
    arguments: archives)
  func repair(_ backup: PhoneBackup) async throws {
    let file = try write(backup)
    let damaged = try scratch.write(Array(backup.bytes.dropLast(40)), to: "cut.zip")
    var options = RewriteOptions()
    options.others = [file]
    let summary = try await Work.repair(damaged, options: options).summary
    let repaired = try #require(summary.archive)
    #expect(summary.photos == backup.taken.files.count)
    let library = try SampleLibrary()
    try await library.importing(repaired)
    let bytes = try library.bytesOfPhotos().values
    #expect(counted(Array(bytes)) == counted(backup.taken.files))

    // settings that the backup does not have stay unset, and the phones open the archive
    let direct = try SampleLibrary()
    try await direct.importing(file)
    let (settings, expected) = (try library.contents.settings, try direct.contents.settings)
    #expect(settings.kidSafeMode == expected.kidSafeMode)
    #expect(settings.deleteProtection == expected.deleteProtection)
    #expect(settings.cameraAccessAllowed == expected.cameraAccessAllowed)
    #expect(settings.theme == expected.theme)
    let archive = try Data(contentsOf: URL(fileURLWithPath: repaired.string))
    for reader in ShapeRun.readers { _ = try reader.restore(Array(archive)) }
  }

  @Test("Shapes: library repair restores the missing photos", arguments: archives)
  func repairLibrary(_ backup: PhoneBackup) async throws {
    let (file, library) = (try write(backup), try SampleLibrary())
    try await library.importing(file)
    let photos = try library.contents.photos.filter { !$0.isFromAssets }
    for photo in photos { try FileManager.default.removeItem(atPath: library.file(of: photo).string) }
    let summary = try await Work.repairLibrary(library.path, from: [file]).summary
    #expect(summary.repaired.count == photos.count)
    #expect(summary.damaged == [])
    expectNone(try library.faults())
  }
}

extension Phone {
  /// The bytes of the photos that have files.
  fileprivate var files: [[UInt8]] { photos.compactMap(\.bytes) }
}
