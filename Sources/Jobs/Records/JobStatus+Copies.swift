import ArchiveCatalog
import FileSystem
import Foundation
import SystemPackage

extension JobStatus {
  /// The newest copy of the library at a destination, and what is known of it now.
  @dynamicMemberLookup
  package struct Copy: Sendable, Equatable {
    /// Whether the archives of a copy can be read.
    enum Reachability: Sendable {
      /// All archives exist.
      case reachable
      /// An archive is missing, although the folder and its disk can be read.
      case missing
      /// The folder or its disk cannot be read, or could not at the end of the last run or restore test.
      case unreachable
    }

    /// The copy when a run found it.
    package var found: CopyRecord
    /// The health of all archives of the copy.
    package var health = ArchiveHealth.unverified
    /// Whether the archives can be read.
    var reachability = Reachability.reachable

    /// Returns a property of the record.
    package subscript<Value>(dynamicMember property: KeyPath<CopyRecord, Value>) -> Value {
      found[keyPath: property]
    }

    /// True if a restore probably works: the files of the archives exist, are not suspect, and are unchanged since a run
    /// found the copy. A file that was verified after a change counts as unchanged if it kept its size and date. Does not
    /// read the archives. Blocks.
    var looksRestorable: Bool {
      !health.isSuspect
        && (found.areFilesUnchanged || health.verifiedAt != nil && found.hasSizesAndDates)
    }
  }
}

extension JobStatus.Copy {
  /// Derives the health and the reachability of a copy from the ledger. Unreachable archives have the health of their last
  /// known files. Blocks.
  ///
  /// - Parameter run: the last run that reached the copy. A later run may have found the folder missing.
  init(_ found: CopyRecord, _ ledger: Ledger, reachedBy run: LedgerPosition?) {
    let current = zip(found.archives, found.files).map { ArchiveFile(at: FilePath($0)) ?? $1 }
    // the files that the run found may be suspect even if other files have replaced them
    let former = ledger.health(of: found.files).filter(\.isSuspect)
    self.init(found: found, health: ArchiveHealth(ofAll: ledger.health(of: current) + former))
    let isReported = found.files.contains { file in
      guard let last = ledger.observations(of: file).last else { return false }
      return last.event == .unreachable && run.map { $0 < last.recorded } ?? true
    }
    if isReported {
      reachability = .unreachable
    } else if !found.exists {
      reachability = isDiskReadable ? .missing : .unreachable
    }
  }

  /// True if the folder can be read, on the file system that it was on when a run found the copy. The mount point of a disk
  /// that is not mounted is an empty folder on another file system. Blocks.
  private var isDiskReadable: Bool {
    guard let mountPoint = found.mountPoint, let mounts = try? MountTable() else { return false }
    return (try? FileManager.default.contentsOfDirectory(atPath: found.path)) != nil
      && mountPoint == mounts.mountPoint(of: FilePath(found.path))?.string
  }
}

extension JobStatus.Copy: Encodable {
  /// The fields of a copy in the status file.
  private enum Field: String, CodingKey {
    case path, archive, others, madeAt, sequence, verifiedAt, suspectSince, suspectReason, isOutOfReach
    case isMissing, mountPoint, isOnSameDevice, isInMemory, isSelection, missingPhotos, files
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(found.path, forKey: .path)
    try fields.encode(found.archive, forKey: .archive)
    try fields.encode(found.others, forKey: .others)
    try fields.encode(found.madeAt, forKey: .madeAt)
    try fields.encodeIfPresent(found.sequence, forKey: .sequence)
    try fields.encodeIfPresent(health.verifiedAt, forKey: .verifiedAt)
    try fields.encodeIfPresent(health.suspectSince, forKey: .suspectSince)
    try fields.encodeIfPresent(health.suspectReason, forKey: .suspectReason)
    if reachability != .reachable {
      try fields.encode(true, forKey: .isOutOfReach)
      try fields.encode(reachability == .missing, forKey: .isMissing)
    }
    try fields.encodeIfPresent(found.mountPoint, forKey: .mountPoint)
    try fields.encode(found.isOnSameDevice, forKey: .isOnSameDevice)
    if found.isInMemory { try fields.encode(true, forKey: .isInMemory) }
    try fields.encode(found.isSelection, forKey: .isSelection)
    if found.missingPhotos > 0 { try fields.encode(found.missingPhotos, forKey: .missingPhotos) }
    try fields.encode(found.files, forKey: .files)
  }
}
