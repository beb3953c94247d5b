import ArchiveCatalog
import FileSystem
import Foundation
import SystemPackage

/// The newest copy of the library at a destination when a run found it: an archive and all other archives that a restore
/// needs. The ledger stores the record.
package struct CopyRecord: Sendable, Equatable, Codable {
  /// The path of the folder.
  package var path: String
  /// The path of the newest archive in the folder.
  package var archive: String
  /// The paths of the other archives that a restore needs: the other parts of the set, or the chain.
  package var others: [String] = []
  /// When the archive was made.
  package var madeAt: Timestamp
  /// The place of the archive among the exports of the library; nil in archives of older versions.
  package var sequence: Int64?
  /// Where the file system of the folder was mounted; nil if the mount points could not be read.
  var mountPoint: String?
  /// True if the copy is on the library's own device, and is lost with the library.
  package var isOnSameDevice = false
  /// True if the copy is on a file system in memory, and is lost when the machine is switched off.
  package var isInMemory = false
  /// True if the copy contains a selection, not the entire library.
  package var isSelection = false
  /// The number of the library's photos that are missing from the copy or damaged in it.
  package var missingPhotos = 0
  /// The files of the archives.
  package var files: [ArchiveFile]

  /// Tells which of two copies is newer.
  var order: Int64 { sequence ?? madeAt.rawValue }

  /// The entry of the copy in the ledger.
  var entry: LedgerCopy { LedgerCopy(destination: path, record: JobStatus.encoded(self)) }

  /// The paths of all archives that a restore needs.
  package var archives: [String] { [archive] + others }

  /// True if all archives exist now. Blocks.
  var exists: Bool { archives.allSatisfy(FileManager.default.fileExists) }

  /// True if the sizes and dates of the files are unchanged. Blocks.
  var hasSizesAndDates: Bool { areFiles { $0.hasSizeAndDate(of: $1) } }

  /// True if the files are unchanged. Blocks.
  var areFilesUnchanged: Bool { areFiles { $0.isSameVersion(as: $1) } }

  /// Returns true if each file, as the run found it, meets a condition with its present state. Blocks.
  private func areFiles(_ condition: (_ found: ArchiveFile, _ now: ArchiveFile) -> Bool) -> Bool {
    zip(archives, files).allSatisfy { path, file in
      ArchiveFile(at: FilePath(path)).map { condition(file, $0) } ?? false
    }
  }

  /// Sets where the copy is, seen from a folder of the library: a person may have moved the library since a run found the
  /// copy. Changes nothing if the library or archives of the copy are unreachable. Blocks.
  mutating func locate(from library: FilePath) {
    guard library.realPath != nil, exists else { return }
    let weakness = FolderWeakness(of: FilePath(path), for: library)
    (isOnSameDevice, isInMemory) = (weakness?.isOnSameDevice ?? false, weakness?.isInMemory ?? false)
  }
}
