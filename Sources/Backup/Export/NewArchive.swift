import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage
import Zip

// What every archive and document that this program writes has in common.

extension AtomicFile {
  /// Refuses to write what does not fit, before anything is written.
  ///
  /// - Throws: `BackupError.notEnoughSpace`, or `FileError`.
  borrowing func requireSpace(bytes: Int, photos: Int, in folder: FilePath) throws {
    try file.fileSystem().requireSpace(forArchiveOf: bytes, photos: photos, in: folder)
  }
}

extension FileSystemStatus {
  /// Headers and metadata take under 1 KiB a photo; 1 MiB is for the file system's own records.
  fileprivate func requireSpace(forArchiveOf bytes: Int, photos: Int, in folder: FilePath) throws {
    try requireSpace(bytes, margin: photos * 1024 + 1 << 20) {
      BackupError.notEnoughSpace(folder, needed: $0, free: $1)
    }
  }
}

extension Destination {
  /// What an export meets before it writes, for one that will not: a folder that cannot be written, or one without room.
  ///
  /// - Throws: `BackupError.notEnoughSpace`, or `FileError`.
  func requireRoom(bytes: Int, photos: Int) throws {
    let directory = try Directory.open(folder)
    if let errno = directory.writeFault() { throw FileError("write to", folder, errno) }
    try directory.fileSystem().requireSpace(forArchiveOf: bytes, photos: photos, in: folder)
  }
}

extension AtomicFile.Durability {
  /// What to say of a file that was published; nil if it is on the disk for certain.
  func warning(for archive: FilePath) -> String? {
    guard case .unknown(let error) = self else { return nil }
    return "\(archive) is published, but whether it survives a power cut is unknown: \(error)"
  }
}

extension Limits {
  /// For what this program has just written and reads back: a library may be larger than what a stranger's archive
  /// may ask for, and nobody attacks here.
  static var own: Limits {
    var limits = Limits()
    limits.maximumEntries = .max
    limits.maximumDirectoryBytes = .max
    limits.maximumBytes = .max
    limits.maximumDocumentBytes = .max
    return limits
  }
}

/// The two texts of an archive, which come after the photos: `metadata.json`, and `checksums.md5` as md5sum(1) reads it,
/// which proves an unpacked archive without this program and so needs the first one's MD5.
final class ArchiveTexts {
  static let metadataName = "metadata.json"
  static let checksumsName = "checksums.md5"

  private var digest = RunningMD5()

  /// Writes `metadata.json` piece by piece.
  func writeMetadata(
    _ metadata: Metadata, photos: some Sequence<Metadata.PhotoRecord>,
    manifest: some Sequence<Metadata.ManifestEntry>, to write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    digest = RunningMD5()
    try metadata.write(photos: photos, manifest: manifest) { piece in
      digest.update(piece)
      try write(piece)
    }
  }

  /// Writes `checksums.md5` piece by piece.
  func writeChecksums(
    of files: some Sequence<(MD5Digest, name: String)>, to write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var text = "\(digest.digest)  \(Self.metadataName)\n"
    for (digest, name) in files {
      text += "\(digest)  \(name)\n"
      guard text.utf8.count >= 64 << 10 else { continue }
      try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
      text.removeAll(keepingCapacity: true)
    }
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }
}
