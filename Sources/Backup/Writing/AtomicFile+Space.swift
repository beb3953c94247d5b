import FileSystem
import SystemPackage

extension AtomicFile {
  /// Refuses to write an archive that does not fit the disk.
  ///
  /// - Throws: `BackupError.notEnoughSpace`, or `FileError`.
  borrowing func requireSpace(bytes: Int, photos: Int, in folder: FilePath) throws {
    try file.fileSystem().requireSpace(forArchiveOf: bytes, photos: photos, in: folder)
  }
}

extension ArchiveOutputPath {
  /// Refuses a folder that cannot be written or has not enough space, without writing, for a dry run.
  ///
  /// - Throws: `BackupError.notEnoughSpace`, or `FileError`.
  func requireSpace(bytes: Int, photos: Int) throws {
    let directory = try Directory.open(folder)
    if let errno = directory.writeFault() { throw FileError("write to", folder, errno) }
    try directory.fileSystem().requireSpace(forArchiveOf: bytes, photos: photos, in: folder)
  }
}

extension FileSystemStatus {
  /// Headers and metadata take less than 1 KiB for each photo; 1 MiB is for the records of the file system.
  fileprivate func requireSpace(forArchiveOf bytes: Int, photos: Int, in folder: FilePath) throws {
    try requireSpace(bytes, margin: photos * 1024 + 1 << 20) {
      BackupError.notEnoughSpace(folder, needed: $0, free: $1)
    }
  }
}
