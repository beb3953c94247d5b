import ArchiveCatalog
import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// The base of an incremental export with its chain: a value that is made once from the opened archives.
package struct ExportBase: Sendable {
  /// The path of the base.
  package let path: FilePath
  /// The paths of the base's own bases, newest first.
  private let earlierPaths: [FilePath]
  /// The base's ID.
  package let archiveID: String
  /// The MD5 of the base's `metadata.json`.
  package let digest: MD5Digest
  /// The date of the full archive of the chain, for which every photo was read.
  let fullDate: Timestamp
  /// The base's chain depth: 0 for a full archive.
  package let chainDepth: Int
  /// The files in the archives of the chain.
  private let files: ChainFiles

  /// Opens the archives of a chain one after the other, newest first. Returns nil if another process has replaced
  /// an archive since it was listed.
  ///
  /// - Parameter folder: the folder of the archives, as the user typed it.
  /// - Throws: `BackupError`, `ArchiveError` or `FileError` if an archive cannot be opened.
  init?(_ members: [ArchiveDescriptor], in folder: FilePath, password: Secret?) throws {
    guard let newest = members.first, let full = members.last, let archiveID = newest.archiveID,
      let digest = newest.digest.flatMap({ MD5Digest(hex: $0) })
    else { return nil }
    var files = ChainFiles()
    for (index, member) in members.enumerated() {
      let source = try OpenedBackup(path: FilePath(member.path), limits: .trusted, password: password)
      // another process may have replaced the archive since it was listed
      guard source.metadataDigest?.description == member.digest else { return nil }
      files.add(source, at: index)
    }
    path = folder.appending(newest.name)
    earlierPaths = members.dropFirst().map { folder.appending($0.name) }
    (self.archiveID, self.digest, self.files) = (archiveID, digest, files)
    (fullDate, chainDepth) = (full.date, newest.base?.depth ?? 0)
  }

  /// Returns true if the archive still exists.
  func exists() throws(FileError) -> Bool {
    try Directory.open(path.folder).status(of: FilePath(path.name))?.kind == .file
  }

  /// Makes the archives of the chain durable, since the next archive depends on them. Costs nothing if they are
  /// durable.
  func sync() throws(FileError) {
    for path in [path] + earlierPaths { try File.open(path, .readFollowingLinks).sync() }
  }

  /// Returns true if a photo's file is stored in the chain.
  func contains(_ photo: Photo) -> Bool {
    photo.md5.flatMap(files.file(with:))?.size == photo.fileSize
  }
}
