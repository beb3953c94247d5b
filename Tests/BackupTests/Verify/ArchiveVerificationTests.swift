import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import SystemPackage
import TestSupport
import Testing
import Zip

@testable import Backup

/// What an error says of an archive.
@Suite struct ArchiveVerificationTests {
  static let passwordErrors: [any Error] = [
    BackupError.passwordNeeded("a"), BackupError.wrongPassword("a"), BackupError.wrongPasswordOrDamaged("a"),
    ArchiveError.passwordNeeded("a", entry: "b"), ArchiveError.wrongPassword("a", entry: "b"),
  ]

  @Test("Archive verification: a missing or wrong password is no evidence of damage")
  func passwords() {
    for error in Self.passwordErrors {
      #expect(ArchiveVerification.isOfPassword(error), "\(error)")
      #expect(!ArchiveVerification.isEvidenceOfDamage(error), "\(error)")
    }
  }

  /// The new version of the file was not read.
  @Test("Archive verification: a file that changes while it is read is no evidence of damage")
  func changedFile() {
    #expect(!ArchiveVerification.isEvidenceOfDamage(ArchiveError.changed("a")))
    #expect(ArchiveVerification.isEvidenceOfDamage(ArchiveError.truncated("a")))
  }

  @Test(
    "Archive verification: a backup that is missing its base or cannot be read by this user is not damaged")
  func notDamaged() {
    #expect(!ArchiveVerification.isEvidenceOfDamage(BackupError.baseMissing("a", uuid: "b")))
    let refused = FileError("open", "a", .permissionDenied)
    #expect(!ArchiveVerification.isEvidenceOfDamage(refused))
    #expect(!ArchiveVerification.isEvidenceOfDamage(ArchiveError.file(refused)))
    #expect(ArchiveVerification.isEvidenceOfDamage(ArchiveError.file(FileError("read", "a", .ioError))))
  }

  @Test("Archive verification: an import or extraction that cannot open a truncated archive makes it suspect")
  func truncatedArchive() async throws {
    let library = try SampleLibrary()
    let folder = try ScratchFolder()
    let ledger = Ledger()
    for isImport in [true, false] {
      let archive = try Fixture.ios.copy(as: "\(isImport).zip", in: folder)
      try FileHandle(forWritingTo: URL(fileURLWithPath: archive.string)).truncate(atOffset: 100_000)
      await #expect(throws: (any Error).self) {
        if isImport {
          try await library.importing(archive) { $0.ledger = ledger }
        } else {
          var options = ExtractOptions()
          options.ledger = ledger
          _ = try await Work.extract(archive, to: folder.path.appending("photos"), options: options).summary
        }
      }
      let file = try #require(ArchiveFile(at: archive))
      #expect(ledger.health(of: file).isSuspect)
    }
  }
}
