import FileSystem
import Operations
import PhotoLibrary
import SystemPackage
import Testing
import Zip

@testable import Backup

@Suite struct ErrorCauseTests {
  private static let noMemory = FileError("read", "a", .noMemory)
  private static let badSector = FileError("read", "a", .ioError)
  private static let refused = FileError("open", "a", .permissionDenied)
  private static let newer = MetadataFault(
    path: "version", reason: "made by a newer version", newerVersion: 9)

  static let table: [(ErrorCause, [any Error])] = [
    (
      .cancelled,
      [CancellationError(), ImportStopped(at: "b", after: ["a"], ImportSummary(), CancellationError())]
    ),
    (
      .environment,
      [
        noMemory, ArchiveError.file(noMemory), ArchiveError.libzip("a", code: 14, text: "Malloc failure"),
        ArchiveError.libzip("a", code: 0, text: "No error"), MemoryShortage(bytes: 1),
      ]
    ),
    (.busy, [ExtractError.busy("a")]),
    (.access, [LibraryError.newerVersion("a"), LibraryError.notEnoughSpace("a", needed: 2, free: 1)]),
    (.notFound, [LibraryError.notALibrary("a"), RebuildError.noArchive("a"), BackupError.noSuchBackup("a")]),
    (.missingBase, [BackupError.baseMissing("a", uuid: "b"), BackupError.baseRemoved("a", uuid: "b")]),
    (
      .password,
      [
        BackupError.passwordNeeded("a"), BackupError.wrongPassword("a"), AuthorizationError.pinNeeded("a"),
        ArchiveError.passwordNeeded("a", entry: "b"), ArchiveError.wrongPassword("a", entry: "b"),
      ]
    ),
    (.passwordOrDamage, [BackupError.wrongPasswordOrDamaged("a")]),
    (
      .damage,
      [
        BackupError.noMetadata("a"), BackupError.metadata("a", MetadataFault(path: "", reason: "not JSON")),
        BackupError.nothingRecovered("a", ArchiveError.notAnArchive("a")), ArchiveError.truncated("a"),
        ArchiveError.damaged("a", entry: "b", reason: .checksum),
        ArchiveError.libzip("a", code: 28, text: "Operation not supported"),
      ]
    ),
    (.disk, [badSector, ArchiveError.file(badSector)]),
    (
      .limit,
      [
        BackupError.tooLarge("a", reason: "", remedy: nil), ArchiveError.tooManyBytes("a", limit: 1),
        BackupError.metadata("a", MetadataFault(path: "", reason: "nested too deep", exceedsLimit: true)),
      ]
    ),
    (.unsupported, [ArchiveError.multiDisk("a"), ArchiveError.unsupportedEncryption("a", entry: "b")]),
    (
      .destination, [BackupError.notEnoughSpace("a", needed: 2, free: 1), BackupError.destinationExists("a")]
    ),
    (.usage, [BackupError.severalToReplace("a", after: "b")]),
    (
      .other,
      [refused, ArchiveError.file(refused), ArchiveError.changed("a"), BackupError.metadata("a", newer)]
    ),
  ]

  @Test("Error cause: the table has each cause")
  func everyCause() {
    #expect(Set(Self.table.map(\.0)) == Set(ErrorCause.allCases))
  }

  @Test("Error cause: each error states why the operation failed", arguments: table)
  func statedCause(cause: ErrorCause, errors: [any Error]) {
    for error in errors { #expect(error.cause == cause, "\(error)") }
  }

  @Test("Error cause: only corrupt bytes and a disk that cannot read make an archive suspect")
  func evidenceOfDamage() {
    #expect(Self.table.map(\.0).filter(\.isEvidenceOfDamage) == [.damage, .disk])
  }

  @Test("Error cause: a cancellation, an environment failure and a removed archive are inconclusive")
  func inconclusive() {
    #expect(Self.table.map(\.0).filter(\.isInconclusive) == [.cancelled, .environment, .notFound])
  }
}
