import ArchiveCatalog
import Checksums
import FileSystem
import Foundation
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// The base of an incremental export with its chain: a value, made once from the opened archives.
package struct ExportBase: Sendable {
  /// The archive that the next one depends on.
  package let path: FilePath
  /// Its own bases, the newest first.
  private let others: [FilePath]
  /// Its ID.
  package let archiveID: String
  /// The MD5 of its `metadata.json`.
  package let digest: MD5Digest
  /// When it was made, in milliseconds since 1970.
  package let exportDate: Int64
  /// The date of the full archive of its chain, for which every photo was read.
  let fullDate: Int64
  /// Its chain depth: 0 for a full archive.
  package let depth: Int
  /// The lengths of the files in the archives of the chain, by MD5.
  let files: [MD5Digest: Int]

  /// Opens the archives of a chain one after the other, the newest first. Nil if another process has replaced one since it
  /// was listed.
  ///
  /// - Parameter folder: the folder of the archives, as the user typed it.
  /// - Throws: `BackupError`, `ArchiveError` or `FileError` if one cannot be opened.
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
    (exportDate, fullDate) = (newest.date, full.date)
    depth = newest.base?.depth ?? 0
  }

  /// Returns whether the archive is still in its place.
  func isThere() throws(FileError) -> Bool {
    guard let name = path.lastComponent else { return false }
    return try Directory.open(path.folder).status(of: FilePath(name.string))?.kind == .file
  }

  /// Makes the archives of the chain durable, since the next one is no safer than they are. Costs nothing if they are.
  func sync() throws(FileError) {
    for path in [path] + others { try File.open(path, .readFollowingLinks).sync() }
  }

  /// Returns whether the chain has a photo's file.
  func holds(_ photo: Photo) -> Bool {
    guard let md5 = photo.md5 else { return false }
    return files[md5] == photo.fileSize
  }
}
