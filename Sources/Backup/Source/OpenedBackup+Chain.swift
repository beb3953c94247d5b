import ArchiveCatalog
import Checksums
import FileSystem
import PhotoLibrary
import SystemPackage

extension OpenedBackup {
  /// Returns the archive that has a photo's bytes, or should have them.
  func archive(of photo: Photo) -> FilePath {
    guard case .entry(let reference) = photo.location, let base = reference.base, let chain else {
      return path
    }
    return chain.bases[Int(base)].path
  }

  /// The reference to the base; nil for a full backup.
  package var increment: Metadata.Increment? { metadata.smilepile?.increment }

  /// Returns true if the backup is this base or was repaired from it.
  func satisfies(_ base: ArchiveDescriptor.BaseReference) -> Bool {
    guard let provenance = metadata.smilepile, provenance.uuid == base.archiveID else { return false }
    return metadataDigest?.description == base.digest || provenance.repairedFrom.contains(base.digest)
  }

  /// The ID of the missing archive of the chain; nil for a full backup or a complete chain.
  package var missingBase: String? { chain.map(\.missing) ?? increment?.baseID }

  /// The number of photos that are stored in the base or its chain.
  package var photosStoredInBase: Int { photos.count(where: \.isStoredInBase) }

  /// The files that are stored in the base, as the metadata lists them. For a backup that was opened without its chain.
  var filesStoredInBase: [Metadata.FileStoredInBase] {
    photos.filter(\.isStoredInBase).map { photo in
      Metadata.FileStoredInBase(
        photoId: photo.record.id, originalPath: photo.originalPath, fileSize: photo.record.fileSize,
        checksum: photo.location.md5?.description ?? "")
    }
  }

  /// Returns where the bytes of a photo are; nil if there are none. The chain chooses the archive.
  func bytes(at location: PhotoLocation) -> PhotoBytes? {
    switch location {
    case .asset, .unavailable: return nil
    case .file(let path, _, _):
      return .file(path) { () throws(FileError) in try File.open(path, .readFollowingLinks) }
    case .entry(let reference):
      let holder = reference.base.flatMap { chain?.bases[Int($0)] } ?? self
      return holder.archive.map { .entry(reference.entry.index, of: $0, password: holder.password) }
    }
  }
}

extension Metadata.Increment {
  /// The reference to the base.
  var reference: ArchiveDescriptor.BaseReference {
    ArchiveDescriptor.BaseReference(archiveID: baseID, digest: baseDigest, depth: chainDepth)
  }
}
