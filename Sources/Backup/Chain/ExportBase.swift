import ArchiveCatalog
import Checksums
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

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
  /// The place of the base among the exports of the library; its date if it has none.
  package let sequence: Int64
  /// The date of the full archive of the chain, for which every photo was read.
  let fullDate: Int64
  /// The base's chain depth: 0 for a full archive.
  package let chainDepth: Int
  /// The files in the archives of the chain.
  private let files: ChainFiles
  /// The archives of the chain, newest first.
  private let members: [ArchiveDescriptor]
  private let password: Secret?
  /// The photos of the base, with the MD5s of their files.
  private let rows: Set<ChainFiles.Row>
  /// The IDs of photos of the library whose files have other bytes than those of the chain with their MD5.
  private var differing: Set<Int64> = []

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
    var rows: Set<ChainFiles.Row>?
    for (index, member) in members.enumerated() {
      guard let source = try Self.open(member, password) else { return nil }
      if rows == nil {
        rows = Set(
          source.photos.lazy.compactMap { photo in
            photo.location.md5.map { ChainFiles.Row(id: photo.record.id, md5: $0) }
          })
      }
      files.add(source, at: index, depth: index)
    }
    path = folder.appending(newest.name)
    earlierPaths = members.dropFirst().map { folder.appending($0.name) }
    (self.archiveID, self.digest, self.files) = (archiveID, digest, files)
    (self.members, self.password) = (members, password)
    self.rows = rows ?? []
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
    for path in [path] + earlierPaths { try File.open(path, .readFollowingLinks).sync() }
  }

  /// Opens an archive of the chain. Returns nil if another process has replaced it since it was listed.
  private static func open(_ member: ArchiveDescriptor, _ password: Secret?) throws -> OpenedBackup? {
    let source = try OpenedBackup(path: FilePath(member.path), limits: .own, password: password)
    return source.metadataDigest?.description == member.digest ? source : nil
  }

  /// Returns true if a photo's file is stored in the chain.
  func contains(_ photo: Photo) -> Bool {
    file(of: photo)?.size == photo.fileSize && !differing.contains(photo.id)
  }

  /// Returns the CRC-32 of a photo's file in the chain; nil if it is unknown.
  func crc32(of photo: Photo) -> UInt32? { file(of: photo)?.crc32 }

  private func file(of photo: Photo) -> ChainFiles.File? {
    photo.md5.flatMap { files.file(of: photo.id, $0) }
  }

  /// Returns the base for the photos of a library. A photo that the base does not have is compared with the file in the
  /// chain that has its MD5, since the bytes may differ. Reads these files; blocks.
  func comparing(_ photos: [Photo], in library: Library, _ counter: ProgressCounter) throws -> ExportBase {
    // a photo that was added later may have the ID of a photo in the base
    let added = try members.first.flatMap { try library.photosAdded(sinceArchive: $0.exportIDs) } ?? []
    let new = photos.filter { photo in
      guard contains(photo), let md5 = photo.md5 else { return false }
      return added.contains(photo.id) || !rows.contains(ChainFiles.Row(id: photo.id, md5: md5))
    }
    guard !new.isEmpty else { return self }
    let stored = try library.contentTags()
    let tags = try library.tags(of: new, stored, counter)
    var base = self
    var inArchive: [Int32: [(photo: Photo, file: ChainFiles.File)]] = [:]
    for photo in new {
      guard let file = file(of: photo) else { continue }
      inArchive[file.archive, default: []].append((photo, file))
    }
    for (archive, group) in inArchive {
      let known = try entryTags(of: archive, group.map(\.file.entry), stored.key, counter)
      for (photo, file) in group {
        // a photo of the library that is missing or corrupt cannot be compared
        guard let tag = tags[photo.id] else { continue }
        if known[file.entry] != tag { base.differing.insert(photo.id) }
      }
    }
    return base
  }

  /// Returns the content tags of entries of an archive, by their indices in the archive. Leaves out an entry that
  /// cannot be read.
  private func entryTags(
    of archive: Int32, _ entries: [Int32], _ key: ContentTagKey, _ counter: ProgressCounter
  ) throws -> [Int32: ContentTag] {
    guard let source = try Self.open(members[Int(archive)], password) else { return [:] }
    let wanted = Set(entries)
    var indices: [Int: Int32] = [:]
    for (index, photo) in source.photos.enumerated() {
      guard let entry = photo.location.ownEntry.map({ Int32($0.entry.index) }), wanted.contains(entry)
      else { continue }
      indices[index] = entry
    }
    let tags = try source.tags(of: Array(indices.keys), key, counter)
    return Dictionary(
      tags.compactMap { index, tag in indices[index].map { ($0, tag) } },
      uniquingKeysWith: { first, _ in first })
  }
}
