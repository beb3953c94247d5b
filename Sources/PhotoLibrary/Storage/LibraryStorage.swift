import Operations

/// The disk space of a library's folder, by purpose. Bytes are those that the file system has allocated, as
/// du(1) counts them: a file with several names counts once, and folders count too.
public struct LibraryStorage: Sendable, Equatable {
  /// The purpose of a file.
  public enum Purpose: Sendable, CaseIterable {
    /// The files of photos in the library, and their folders.
    case photos
    /// The database, the lock files, and the folders that every library has.
    case database
    /// Files that an undo would bring back.
    case undo
    /// Corrupt files that repairs replaced, and the files of databases that rebuilds replaced.
    case quarantined
    /// Files that interrupted operations left and that no photo needs.
    case leftovers
    /// Pictures of photos, which are drawn again when they are needed.
    case cache
    /// Files and folders that this program did not make.
    case untracked
  }

  /// The files of one purpose.
  public struct Share: Sendable, Equatable {
    /// The number of files, without folders.
    public internal(set) var files = 0
    /// The allocated bytes of the files and their folders.
    public internal(set) var bytes = 0
  }

  private var shares: [Purpose: Share] = [:]
  /// The bytes of the file system that are free for this user.
  public internal(set) var freeBytes = 0
  /// The folders that could not be listed. Their files are missing from the shares.
  public internal(set) var unreadable: [Finding] = []

  /// The files of a purpose.
  public internal(set) subscript(purpose: Purpose) -> Share {
    get { shares[purpose] ?? Share() }
    set { shares[purpose] = newValue }
  }

  /// The allocated bytes of the whole folder.
  public var bytes: Int { shares.values.reduce(0) { $0.saturated(plus: $1.bytes) } }
}

extension Library {
  /// Adds up the disk space of the library's folder. Reads the status of every file, and a file only if it is
  /// in the place of a removed photo. Writes nothing. Blocks.
  ///
  /// - Throws: `LibraryError`, or `FileError` if the library's folder cannot be listed.
  public func storage() throws -> LibraryStorage { try StorageScan(self).storage }
}
