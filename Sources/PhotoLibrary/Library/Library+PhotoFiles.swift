import Checksums
import FileSystem
import Operations
import SystemPackage

/// The files of photos.
extension Library {
  /// Opens a photo's file for reading. A symbolic link on the way is refused (ELOOP).
  package func open(_ photo: Photo) throws(FileError) -> File { try openPhoto(at: photo.path) }

  /// Opens a photo's file by the row's path in the library.
  package func openPhoto(at path: String) throws(FileError) -> File { try photoFolders.open(path, in: root) }

  /// Returns true if a photo's file exists and has the size and MD5 of its row. Reads the whole file; `whileReading` is
  /// called between its pieces, and may throw to give up.
  ///
  /// - Throws: `FileError` if the process or the system lacks a resource, which tells nothing about the file; what
  ///   `whileReading` throws.
  public func hasIntactFile(of photo: Photo, whileReading: () throws -> Void = {}) throws -> Bool {
    do {
      return try hasContent(photo, whileReading: whileReading)
    } catch is File.Unreadable {
      return false
    }
  }

  /// Returns true if the file of a photo has the size and the MD5 of its row. Throws `File.Unreadable` if it cannot be read.
  private func hasContent(_ photo: Photo, whileReading: () throws -> Void) throws -> Bool {
    var hash = RunningMD5()
    var size = 0
    try File.readPieces(opening: { () throws(FileError) in try open(photo) }) { bytes in
      try whileReading()
      hash.update(bytes)
      size += bytes.count
    }
    return hash.digest == photo.md5 && size == photo.fileSize
  }

  /// Returns true if a photo's file is as it was imported: it has the size of the row, and the date or the MD5.
  ///
  /// - Throws: `FileError` if the file cannot be read.
  func isUnchanged(_ photo: Photo, whileReading: () throws -> Void = {}) throws -> Bool {
    guard let status = try root.status(of: FilePath(photo.path)), status.kind == .file,
      status.size == photo.fileSize
    else { return false }
    if status.modified == photo.createdAt { return true }
    do {
      return try hasContent(photo, whileReading: whileReading)
    } catch let error as File.Unreadable {
      throw error.error
    }
  }

  /// Returns true if there is something in the place of a photo's file that is not the file as it was imported; false if
  /// it cannot be read. Blocks.
  ///
  /// - Throws: `FileError` if the process or the system lacks a resource; what `whileReading` throws.
  package func isChanged(_ photo: Photo, whileReading: () throws -> Void) throws -> Bool {
    do {
      guard try root.status(of: FilePath(photo.path)) != nil else { return false }
      return try !isUnchanged(photo, whileReading: whileReading)
    } catch let error as FileError where error.cause != .environment {
      return false
    }
  }

  /// How long readers wait by default for a writer that moves or deletes photo files, which takes moments.
  public static let readersWait: Duration = .seconds(60)

  /// Runs `body` under a shared lock on `readers.lock`, which keeps writers from moving and deleting photo files. Waits
  /// for a writer that has the lock; `whileWaiting` may throw to give up. If the lock file cannot be opened, as on a
  /// read-only file system, `body` runs without the lock: photos that the owner deletes meanwhile are then reported as
  /// missing.
  ///
  /// - Throws: `FileLock.Busy` if the writer keeps the lock too long, or what `body` throws.
  public func withPhotoReadLock<Value>(
    lockWait: Duration = readersWait, whileWaiting: () throws -> Void = {}, _ body: () throws -> Value
  ) throws -> Value {
    let lock: FileLock
    do {
      lock = try FileLock(
        "readers.lock", in: root, exclusive: false, waiting: lockWait, whileWaiting: whileWaiting)
    } catch let error as FileError where [.readOnlyFileSystem, .permissionDenied].contains(error.errno) {
      return try body()
    }
    let value = try body()
    lock.release()
    return value
  }

  /// Returns the status of a photo's file, or the error. A symbolic link on the way is refused (ELOOP). Leaves the
  /// photo's folder open for the next photo. Blocks.
  package func status(of photo: Photo) -> Result<FileStatus, FileError> {
    Result { () throws(FileError) in try photoFolders.status(of: photo.path, in: root) }
  }

  /// Returns a finding for each photo whose file is missing or has another length than the library recorded, in the
  /// order of the photos. Reads no file, so that other corruption is not found. Blocks.
  ///
  /// - Parameter contents: the contents of the library, which name the photos.
  package func alteredFiles(of photos: [Photo], in contents: LibraryContents) -> [Finding] {
    photos.filter { !$0.isFromAssets }.compactMap { photo in
      switch status(of: photo) {
      case .success(let status) where status.kind == .file && status.size == photo.fileSize: nil
      case .success: .differsFromRow(contents.label(of: photo))
      case .failure(let error) where error.isMissing: .missingInLibrary(contents.label(of: photo))
      case .failure(let error): Finding(contents.label(of: photo), "\(error)")
      }
    }
  }
}
