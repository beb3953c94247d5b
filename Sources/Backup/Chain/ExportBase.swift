import ArchiveCatalog
import Checksums
import FileSystem
import Foundation
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// The base of an incremental export with its chain: a value that is made once from the opened archives.
package struct ExportBase: Sendable {
  /// The path of the base.
  package let path: FilePath
  /// The paths of the base's own bases, newest first.
  private let others: [FilePath]
  /// The base's ID.
  package let archiveID: String
  /// The MD5 of the base's `metadata.json`.
  package let digest: MD5Digest
  /// The place of the base among the exports of the library; its date if it has none.
  package let sequence: Int64
  /// The date of the full archive of the chain, for which every photo was read.
  let fullDate: Int64
  /// The base's chain depth: 0 for a full archive.
  package let chainDepth: Int
  /// The lengths of the files in the archives of the chain, by MD5.
  let files: [MD5Digest: Int]

  /// Opens the archives of a chain one after the other, newest first. Returns nil if another process has replaced
  /// an archive since it was listed.
  ///
  /// - Parameter folder: the folder of the archives, as the user typed it.
  /// - Throws: `BackupError`, `ArchiveError` or `FileError` if an archive cannot be opened.
  init?(_ members: [ArchiveDescriptor], in folder: FilePath, password: Secret?) throws {
    guard let newest = members.first, let full = members.last, let archiveID = newest.archiveID,
      let digest = newest.digest.flatMap({ MD5Digest(hex: $0) })
    else { return nil }
    var files: [MD5Digest: Int] = [:]
    for member in members {
      let source = try OpenedBackup(path: FilePath(member.path), limits: .own, password: password)
      guard source.metadataDigest?.description == member.digest else { return nil }
      for photo in source.photos {
        guard let reference = photo.location.ownEntry, let md5 = reference.md5, files[md5] == nil else {
          continue
        }
        files[md5] = reference.entry.size
      }
    }
    path = folder.appending(newest.name)
    others = members.dropFirst().map { folder.appending($0.name) }
    (self.archiveID, self.digest, self.files) = (archiveID, digest, files)
    (sequence, fullDate) = (newest.place, full.date)
    chainDepth = newest.base?.depth ?? 0
  }

  /// Returns true if the archive still exists.
  func exists() throws(FileError) -> Bool {
    guard let name = path.lastComponent else { return false }
    return try Directory.open(path.folder).status(of: FilePath(name.string))?.kind == .file
  }

  /// Makes the archives of the chain durable, since the next archive depends on them. Costs nothing if they are
  /// durable.
  func sync() throws(FileError) {
    for path in [path] + others { try File.open(path, .readFollowingLinks).sync() }
  }

  /// Returns true if a photo's file is stored in the chain.
  func contains(_ photo: Photo) -> Bool {
    guard let md5 = photo.md5 else { return false }
    return files[md5] == photo.fileSize
  }
}
