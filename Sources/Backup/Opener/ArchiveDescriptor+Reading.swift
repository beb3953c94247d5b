import ArchiveCatalog
import Checksums
import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

extension ArchiveDescriptor {
  /// Reads a backup's directory and metadata, but no photo. Blocks; writes nothing.
  ///
  /// - Throws: `BackupError`, `ArchiveError` or `FileError` if the file cannot be read as a backup. If the password
  ///   does not open an encrypted backup, sets `isLocked` instead of throwing.
  package init(path: FilePath, password: Secret? = nil, limits: Limits = Limits()) throws {
    try self.init(fileAt: path)
    do {
      let source = try OpenedBackup(path: path, limits: limits, password: password)
      fill(from: source)
    } catch  where error.cause.isOfPassword {
      isEncrypted = true
      isLocked = true
    }
  }

  /// Describes an opened backup. Blocks; writes nothing.
  ///
  /// - Throws: `BackupError` or `FileError` if its file is missing.
  init(_ source: OpenedBackup) throws {
    try self.init(fileAt: source.path)
    fill(from: source)
  }

  private init(fileAt path: FilePath) throws {
    do {
      let status = try File.open(path, .readFollowingLinks).status()
      self.init(path: path.absolute.string, fileBytes: status.size, modifiedAt: status.modified)
    } catch {
      throw error.isMissing ? BackupError.noSuchBackup(path) : error as any Error
    }
  }

  private mutating func fill(from source: OpenedBackup) {
    let metadata = source.metadata
    date = metadata.exportDate ?? date
    photos = source.photos.count
    photoFiles = source.photoFiles
    categories = metadata.categories.count
    bytes = source.photoBytes
    let entries = source.archive?.entries ?? []
    isEncrypted = entries.contains { $0.isEncrypted }
    isFullyEncrypted = isEncrypted && entries.allSatisfy { $0.isEncrypted }
    digest = source.metadataDigest?.description
    missingFiles = source.photos.count(where: \.isMissing)
    guard let provenance = metadata.smilepile else { return }
    archiveID = provenance.uuid
    libraryID = provenance.library
    sequence = provenance.sequence
    isDocument = source.format == .json
    isPartial = provenance.isPartial || isDocument
    selection = provenance.selection
    if !isDocument {
      // all of them, because retention compares the photos that archives lack
      missingPhotos = source.photos.filter { $0.isMissing || $0.originalMD5 != nil }.map { photo in
        UnusablePhoto(id: photo.record.id, label: "\(source.label(of: photo))", isDamaged: !photo.isMissing)
      }
    }
    fingerprint = provenance.fingerprint
    hasLostPhotos = provenance.isPartiallyRecovered
    repairedFrom = provenance.repairedFrom
    flattenedFrom = provenance.flattenedFrom
    tags = provenance.tags
    part = provenance.part.map { Part(setID: $0.set, number: $0.number, count: $0.count) }
    base = provenance.increment.map {
      BaseReference(archiveID: $0.baseID, digest: $0.baseDigest, depth: $0.chainDepth)
    }
  }
}

extension OpenedBackup.Photo {
  /// True if neither the backup nor its base has the file.
  fileprivate var isMissing: Bool { location.unavailable != nil && !isStoredInBase }
}
