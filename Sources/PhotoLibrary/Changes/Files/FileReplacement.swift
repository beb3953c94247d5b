internal import Databases
import FileSystem
import SystemPackage

/// Moves staged files to the places of photos whose files are corrupt or missing, and corrupt files to the quarantine.
///
/// A corrupt file gets a second name in the quarantine, and then the intact file is renamed over the old name, so that
/// one of the two files is at the place at every moment. If the file cannot have a second name, such as on FAT, it moves
/// away first; after an interruption, `LibraryRecovery` fills the place.
struct FileReplacement {
  private let folder: OpenFolder
  private let staging: StagingFolder
  /// The folder for the corrupt files, relative to the library.
  private let quarantine: FilePath
  private let lockWait: Duration
  /// What became of the repairs.
  private(set) var outcome = FileRepair.Outcome()
  /// The photos whose places may be empty, so that they need their staged files.
  private(set) var emptied: Set<Int64> = []
  private var hasQuarantine = false
  private var lock: Result<ReadersLock, any Error>?

  private final class ReadersLock {
    private let lock: FileLock
    init(_ lock: consuming FileLock) { self.lock = lock }
  }

  /// A repair whose photo has a corrupt file.
  private struct Corrupt {
    let repair: FileRepair
    /// False if the file has no second name in the quarantine.
    var isLinked = false
    /// Why the file cannot be looked at; nil if it can.
    var fault: FileError?
  }

  /// - Parameters:
  ///   - folder: the folder of the library.
  ///   - quarantine: the folder for the corrupt files, relative to the library.
  ///   - lockWait: how long to wait for processes that read photos. At least 10 s.
  init(
    in folder: OpenFolder, from staging: StagingFolder, to quarantine: FilePath, lockWait: Duration = .zero
  ) {
    (self.folder, self.staging, self.quarantine, self.lockWait) = (folder, staging, quarantine, lockWait)
  }

  private var root: Directory { _read { yield folder.directory } }

  /// Replaces the files. The staged files are durable before. The replacements are durable when it returns. A photo that
  /// cannot be repaired, since its inode is unreadable or its folder is another kind of file, does not stop the others.
  mutating func run(_ repairs: [FileRepair]) {
    let byFolder = Dictionary(grouping: repairs) { FilePath($0.photo.path).removingLastComponent().string }
    for (folder, repairs) in byFolder.sorted(by: { $0.key < $1.key }) {
      do {
        try replaceFiles(of: repairs, in: FilePath(folder))
      } catch {
        // a rename that was not flushed is not durable
        for repair in repairs { fail(repair, error) }
      }
    }
    if hasQuarantine, outcome.corruptFiles == nil { _ = try? root.remove(quarantine, isDirectory: true) }
  }

  mutating func fail(_ repair: FileRepair, _ error: any Error) { outcome.failures[repair.photo.id] = error }

  private mutating func replaceFiles(of repairs: [FileRepair], in folder: FilePath) throws {
    try root.makeDirectories(folder)
    let target = try root.directory(folder)
    var corrupt: [Corrupt] = []
    for repair in repairs {
      do {
        if let file = try keepFile(of: repair, in: target) {
          corrupt.append(file)
        } else {
          try staging.directory.rename(FilePath(repair.name), to: target, as: repair.photo.nameOfFile)
        }
      } catch {
        fail(repair, error)
      }
    }
    do {
      // the second names are durable before the files lose their first ones
      if !corrupt.isEmpty { try root.directory(quarantine).sync() }
      for file in corrupt {
        do {
          if file.isLinked {
            try root.replace(
              FilePath(file.repair.photo.path), with: staging.path.appending(file.repair.name))
          } else {
            try moveFileAway(file, from: target)
          }
        } catch {
          fail(file.repair, error)
        }
      }
    } catch {
      for file in corrupt { fail(file.repair, error) }
    }
    try target.sync()
  }

  /// Gives the corrupt file of a photo a second name in the quarantine, if that is possible.
  ///
  /// - Returns: nil if there is no file, or if the place must be empty.
  private mutating func keepFile(
    of repair: FileRepair, in target: borrowing Directory
  ) throws(FileError) -> Corrupt? {
    guard repair.replacesFile else { return nil }
    var file = Corrupt(repair: repair)
    var isFile = false
    do {
      guard let status = try target.status(of: repair.photo.nameOfFile) else { return nil }
      isFile = status.kind == .file
    } catch {
      // the name of a file with an unreadable inode can be moved all the same
      guard error.errno == .ioError else { throw error }
      file.fault = error
    }
    if !hasQuarantine { try root.makeDirectories(quarantine) }
    hasQuarantine = true
    guard isFile else { return file }
    do {
      try root.link(
        target.open(repair.photo.nameOfFile, .read),
        as: quarantine.appending(Quarantine.fileName(of: repair.photo)))
      outcome.corruptFiles = quarantine
      file.isLinked = true
    } catch {
      // FAT has no links, and the kernel refuses links to other users' files and to unreadable inodes; moving the file
      // needs no link
      if error.errno == .noSpace { throw error }
      if error.errno == .ioError { file.fault = error }
    }
    return file
  }

  /// Moves a corrupt file away, and the staged file to its place. A reader would find nothing between the two renames, so
  /// this waits for the lock of the readers.
  private mutating func moveFileAway(_ file: Corrupt, from target: borrowing Directory) throws {
    try lockReaders()
    let place = file.repair.photo.nameOfFile
    let kept = quarantine.appending(Quarantine.fileName(of: file.repair.photo))
    do {
      try target.rename(place, to: root, as: kept)
      try root.directory(quarantine).sync()
      try staging.directory.rename(FilePath(file.repair.name), to: target, as: place)
      outcome.corruptFiles = quarantine
    } catch {
      moveBack(kept, of: file.repair.photo, to: target)
      throw error.isMissing ? file.fault ?? error : error
    }
  }

  /// Moves a corrupt file back to its place, if it was moved away: a corrupt photo is better than none. Never replaces a
  /// file in its place.
  private mutating func moveBack(_ kept: FilePath, of photo: Photo, to target: borrowing Directory) {
    do {
      try root.rename(kept, to: target, as: photo.nameOfFile)
    } catch {
      guard !error.isMissing else { return }
      outcome.corruptFiles = quarantine
      emptied.insert(photo.id)
    }
  }

  /// Takes the lock of the readers. Waits once.
  ///
  /// - Throws: `FileLock.Busy` or `FileError`.
  private mutating func lockReaders() throws {
    if lock == nil {
      lock = Result {
        try ReadersLock(FileLock("readers.lock", in: root, waiting: max(lockWait, .seconds(10))))
      }
    }
    _ = try lock?.get()
  }
}

extension Photo {
  /// The name of its file in the folder.
  fileprivate var nameOfFile: FilePath { FilePath(FilePath(path).lastComponent?.string ?? "") }
}
