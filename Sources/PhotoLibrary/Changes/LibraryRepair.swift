import FileSystem
import Foundation
import Operations
import Synchronization
import SystemPackage

/// A repair of photos whose files are corrupt or missing: intact files are staged and moved to the places of the
/// photos. Rows of photos do not change.
///
/// A corrupt file is never deleted, because its picture may still be visible: the repair moves the file to
/// `.rotten/ID`, under the photo's ID and file name. The repair first links the corrupt file there, and then renames
/// the intact file over the old name, so that one of the two files is at the place at every moment. On a file system
/// without hard links, the repair moves the corrupt file away first; after an interruption, `LibraryRecovery` fills the
/// place.
package final class LibraryRepair: Sendable {
  /// A photo and the file that was staged for it.
  package struct Item: Sendable {
    package let photo: Photo
    /// The name of the staged file: a number.
    package let name: String

    package init(photo: Photo, name: String) {
      self.photo = photo
      self.name = name
    }
  }

  /// The result of a repair.
  package struct Outcome: Sendable {
    /// The folder with the corrupt files, relative to the library; nil if there are none.
    package internal(set) var corruptFiles: FilePath?
    /// Why photos were not repaired, by the names of their staged files.
    package internal(set) var failures: [String: String] = [:]

    fileprivate mutating func fail(_ items: [Item], _ error: any Error) {
      for item in items { failures[item.name] = "\(error)" }
    }
  }

  /// The folder that has the corrupt files of all repairs.
  static let corruptFiles: FilePath = ".rotten"

  /// The folder that has the corrupt files of one repair.
  static func corruptFolder(ofOperation id: String) -> FilePath { corruptFiles.appending(id) }

  /// Where a repair keeps the corrupt file of a photo: `.rotten/ID/17_IMG_0001.jpg`. A person recognizes the name, and
  /// no other file of the repair has it.
  static func corruptPath(of photo: Photo, operation id: String) -> FilePath {
    corruptFolder(ofOperation: id).appending(corruptName(of: photo).components)
  }

  /// Returns true if a name in the folder of a repair is that of a corrupt file: a number, an underscore and
  /// a name.
  static func isCorruptName(_ name: FilePath) -> Bool {
    let parts = name.string.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && StagingFolder.isNumber(FilePath(String(parts[0])))
  }

  private static func corruptName(of photo: Photo) -> FilePath {
    let prefix = "\(photo.id)_"
    let name = lastComponent(of: photo).string
    return FilePath(prefix + FileName.safe(name, limit: FileName.maximumBytes - prefix.utf8.count))
  }

  var id: String { staging.id }
  private let writer: LibraryWriter
  private let staging: StagingFolder
  private let emptyPlace = Atomic<Bool>(false)

  /// True if the place of a photo may be empty, so that the photo needs its staged file.
  var hasEmptyPlace: Bool { emptyPlace.load(ordering: .relaxed) }

  init(_ writer: LibraryWriter) throws {
    self.writer = writer
    staging = try StagingFolder(in: writer.library)
  }

  /// Makes a new file in the staging folder. Any thread.
  package func stage(_ name: String) throws(FileError) -> File { try staging.stage(name) }

  /// Removes a file from the staging folder. Any thread.
  package func unstage(_ name: String) throws(FileError) { try staging.unstage(name) }

  /// Moves the staged files to the places of their photos. Durable when it returns, except for the photos in
  /// `Outcome.failures`: a photo that cannot be repaired, since its inode is unreadable or its folder is another kind
  /// of file, does not stop the others.
  ///
  /// - Throws: `FileError` or `LibraryError`; no photo was changed.
  package func commit(_ items: [Item]) throws -> Outcome {
    var outcome = Outcome()
    guard !items.isEmpty else { return outcome }
    try staging.sync(items.map(\.name))
    // a photo may be without its file until the staged file is in its place
    try staging.syncNames()
    try writer.record(
      items.lazy.compactMap { [id] item in
        item.photo.md5.map {
          FileMove(operationID: id, kind: .repair, source: item.name, target: item.photo.path, md5: $0)
        }
      })
    let byFolder = Dictionary(grouping: items) { FilePath($0.photo.path).removingLastComponent().string }
    for (folder, items) in byFolder.sorted(by: { $0.key < $1.key }) {
      do {
        try moveIntoFolder(items, FilePath(folder), &outcome)
      } catch {
        // a rename that was not flushed is not durable
        outcome.fail(items, error)
      }
    }
    if outcome.corruptFiles == nil { _ = try? writer.library.root.removeDirectory(corruptFolder) }
    return outcome
  }

  private var corruptFolder: FilePath { Self.corruptFolder(ofOperation: id) }

  /// Repairs the photos of one folder.
  private func moveIntoFolder(_ items: [Item], _ folder: FilePath, _ outcome: inout Outcome) throws {
    let library = writer.library
    try library.root.makeDirectories(folder)
    let target = try library.root.directory(folder)
    var linked: [Item] = []
    var moved: [Item] = []
    var missing: [Item] = []
    for item in items {
      do {
        switch try target.status(of: Self.lastComponent(of: item.photo))?.kind {
        case nil: missing.append(item)
        case .file?: linked.append(item)
        case .directory?, .symbolicLink?, .other?: moved.append(item)
        }
      } catch {
        // the name of a file with an unreadable inode can be moved all the same
        if error.errno == .ioError { moved.append(item) } else { outcome.fail([item], error) }
      }
    }
    for item in missing {
      do {
        try staging.directory.rename(
          FilePath(item.name), to: target, as: Self.lastComponent(of: item.photo))
      } catch {
        outcome.fail([item], error)
      }
    }
    if !linked.isEmpty || !moved.isEmpty {
      do {
        try replace(linked, moved, in: target, &outcome)
      } catch {
        outcome.fail(linked + moved, error)
      }
    }
    try target.sync()
  }

  /// Replaces corrupt files.
  ///
  /// - Throws: `FileError`; no file was replaced.
  private func replace(
    _ linked: [Item], _ moved: [Item], in target: borrowing Directory, _ outcome: inout Outcome
  ) throws {
    let library = writer.library
    try library.root.makeDirectories(corruptFolder)
    let corrupt = try library.root.directory(corruptFolder)
    var (linked, moved) = (linked, moved)
    var replaced: [Item] = []
    for item in linked {
      do {
        if try link(item, in: target, to: corrupt) { replaced.append(item) } else { moved.append(item) }
      } catch {
        outcome.fail([item], error)
      }
    }
    linked = replaced
    if !linked.isEmpty { outcome.corruptFiles = corruptFolder }
    try corrupt.sync()
    for item in linked {
      do {
        try library.root.replace(
          FilePath(item.photo.path), with: StagingFolder.path(of: id).appending(item.name))
      } catch {
        outcome.fail([item], error)
      }
    }
    do {
      try move(moved, from: target, to: corrupt, &outcome)
    } catch {
      outcome.fail(moved, error)
    }
  }

  /// Gives a corrupt file its second name; returns false if that is not possible.
  private func link(
    _ item: Item, in target: borrowing Directory, to corrupt: borrowing Directory
  ) throws -> Bool {
    do {
      try corrupt.link(
        target.open(Self.lastComponent(of: item.photo), .read), as: Self.corruptName(of: item.photo))
      return true
    } catch {
      // FAT has no links, and the kernel refuses links to other users' files and to unreadable inodes; moving the file
      // needs no link
      if error.errno == .noSpace { throw error }
      return false
    }
  }

  /// Moves corrupt files away, and the staged files to their places. A reader would find nothing between the two
  /// renames, so this waits for the lock of the readers.
  ///
  /// - Throws: `FileLock.Busy` or `FileError`; no file was moved.
  private func move(
    _ items: [Item], from target: borrowing Directory, to corrupt: borrowing Directory,
    _ outcome: inout Outcome
  ) throws {
    guard !items.isEmpty else { return }
    let lock = try FileLock(
      "readers.lock", in: writer.library.root, waiting: max(writer.lockWait, .seconds(10)))
    for item in items {
      let (place, kept) = (Self.lastComponent(of: item.photo), Self.corruptName(of: item.photo))
      do {
        try target.rename(place, to: corrupt, as: kept)
        try corrupt.sync()
        try staging.directory.rename(FilePath(item.name), to: target, as: place)
        outcome.corruptFiles = corruptFolder
      } catch {
        outcome.fail([item], error)
        // a corrupt photo is better than none; this never replaces a file in its place
        do {
          try corrupt.rename(kept, to: target, as: place)
        } catch {
          if !error.isMissing {
            outcome.corruptFiles = corruptFolder
            emptyPlace.store(true, ordering: .relaxed)
          }
        }
      }
    }
    lock.release()
  }

  private static func lastComponent(of photo: Photo) -> FilePath {
    FilePath(FilePath(photo.path).lastComponent?.string ?? "")
  }
}
