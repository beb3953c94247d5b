import FileSystem
import Foundation
import Operations
import Synchronization
import SystemPackage

/// Photos of a library get their right bytes back under way: they are staged, made durable, journalled, and put in
/// the place of the rotten or missing files. No row changes.
///
/// A rotten file is never deleted, since it may still be worth seeing: it is kept in `.rotten/<healing>/` under the
/// photo's id and file name. It gets that name first, as a second one, and then the right file is renamed over its
/// old name, so that at every moment one of the two is there. Where a file cannot have two names, it is moved
/// away first; if a crash comes between, the next writer finishes by the journal.
package final class Healing: Sendable {
  /// A photo and the file that was staged for it.
  package struct Item: Sendable {
    /// The row, as it is.
    package let photo: Photo
    /// The file's name in the staging folder.
    package let name: String

    /// Makes a value of these parts.
    package init(photo: Photo, name: String) {
      self.photo = photo
      self.name = name
    }
  }

  /// What a healing came to.
  package struct Outcome: Sendable {
    /// The folder in the library that keeps what was in the photos' places, nil if there was nothing.
    package internal(set) var kept: FilePath?
    /// Why photos were not healed, by the names of their staged files.
    package internal(set) var failures: [String: String] = [:]

    fileprivate mutating func fail(_ files: [Journal.Item], _ error: any Error) {
      for file in files { failures[file.name] = "\(error)" }
    }
  }

  /// Where rotten files are kept.
  static let rottenFolder: FilePath = ".rotten"

  /// What a crash in the middle needs to be known.
  struct Journal: Codable {
    struct Item: Codable {
      /// The file's name in the staging folder.
      var name: String
      var path: String
      var md5: String
      /// The name that the rotten file gets.
      var rotten: String
    }
    var files: [Item]
  }

  var id: String { staging.id }
  private let writer: LibraryWriter
  private let staging: StagingFolder
  private let unsettled = Mutex(false)

  /// A photo may be without a file, which the journal can bring back.
  var isUnsettled: Bool { unsettled.withLock { $0 } }

  init(_ writer: LibraryWriter) throws {
    self.writer = writer
    staging = try StagingFolder(in: writer.library)
  }

  /// Makes a new file in the staging folder. Any thread.
  package func stage(_ name: String) throws(FileError) -> File { try staging.stage(name) }

  /// Takes a file back out of the staging folder. Any thread.
  package func unstage(_ name: String) throws(FileError) { try staging.unstage(name) }

  /// Puts the staged files in their places. Durable when it returns, but for those that it says failed: one photo
  /// that cannot be healed, since its inode is bad or something else stands where its folder should be, does not
  /// keep the others from it.
  ///
  /// - Throws: `FileError`; no photo has been touched then.
  package func commit(_ items: [Item]) throws -> Outcome {
    var outcome = Outcome()
    guard !items.isEmpty else { return outcome }
    try staging.sync(items.map(\.name))
    let files = items.map { item in
      Journal.Item(
        name: item.name, path: item.photo.path, md5: item.photo.md5?.description ?? "",
        rotten: Self.rottenName(item.photo))
    }
    try staging.write(journalOf: files, as: .healing, syncs: true) { $0 }
    let byFolder = Dictionary(grouping: files) { FilePath($0.path).removingLastComponent().string }
    for (folder, files) in byFolder.sorted(by: { $0.key < $1.key }) {
      do {
        try put(files, in: FilePath(folder), &outcome)
      } catch {
        // what was renamed and not flushed is not known to be healed
        outcome.fail(files, error)
      }
    }
    if outcome.kept == nil { _ = try? writer.library.root.removeDirectory(rottenPath) }
    return outcome
  }

  /// Where this healing keeps what was rotten.
  private var rottenPath: FilePath { Self.rottenFolder.appending(id) }

  /// `17_IMG_0001.jpg`: a name that a person recognizes, and no other file of this healing has.
  private static func rottenName(_ photo: Photo) -> String {
    let prefix = "\(photo.id)_"
    let name = FilePath(photo.path).lastComponent?.string ?? ""
    return prefix + FileName.safe(name, limit: FileName.maximumBytes - prefix.utf8.count)
  }

  /// Heals the photos of one folder.
  private func put(_ files: [Journal.Item], in folder: FilePath, _ outcome: inout Outcome) throws {
    let library = writer.library
    try library.root.makeDirectories(folder)
    let target = try library.root.directory(folder)
    var linked: [Journal.Item] = []
    var moved: [Journal.Item] = []
    var missing: [Journal.Item] = []
    for file in files {
      do {
        switch try target.status(of: Self.last(file.path))?.kind {
        case nil: missing.append(file)
        case .file?: linked.append(file)
        case .directory?, .symbolicLink?, .other?: moved.append(file)
        }
      } catch {
        // of a bad inode nothing is known, and its name can be moved all the same
        if error.errno == .ioError { moved.append(file) } else { outcome.fail([file], error) }
      }
    }
    for file in missing {
      do {
        try staging.directory.rename(FilePath(file.name), to: target, as: Self.last(file.path))
      } catch {
        outcome.fail([file], error)
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

  /// Puts right files in the places of rotten ones.
  ///
  /// - Throws: `FileError`; none was replaced.
  private func replace(
    _ linked: [Journal.Item], _ moved: [Journal.Item], in target: borrowing Directory,
    _ outcome: inout Outcome
  ) throws {
    let library = writer.library
    try library.root.makeDirectories(rottenPath)
    let rotten = try library.root.directory(rottenPath)
    var (linked, moved) = (linked, moved)
    var replaced: [Journal.Item] = []
    for file in linked {
      do {
        if try link(file, in: target, to: rotten) { replaced.append(file) } else { moved.append(file) }
      } catch {
        outcome.fail([file], error)
      }
    }
    linked = replaced
    if !linked.isEmpty { outcome.kept = rottenPath }
    try rotten.sync()
    for file in linked {
      do {
        try library.root.replace(FilePath(file.path), with: staged(file))
      } catch {
        outcome.fail([file], error)
      }
    }
    do {
      try move(moved, from: target, to: rotten, &outcome)
    } catch {
      outcome.fail(moved, error)
    }
  }

  /// Gives a rotten file its second name; false where that cannot be.
  private func link(
    _ file: Journal.Item, in target: borrowing Directory, to rotten: borrowing Directory
  ) throws -> Bool {
    do {
      try rotten.link(target.open(Self.last(file.path), .read), as: FilePath(file.rotten))
      return true
    } catch {
      // no links on FAT, none to other people's files, none to a bad inode; whatever it is, moving it needs no link
      if error.errno == .noSpace { throw error }
      return false
    }
  }

  /// Moves rotten files away and puts the right ones in their places. Between the two a reader finds nothing, so
  /// this waits for those who read.
  ///
  /// - Throws: `FileLock.Busy` or `FileError`; none was moved.
  private func move(
    _ files: [Journal.Item], from target: borrowing Directory, to rotten: borrowing Directory,
    _ outcome: inout Outcome
  ) throws {
    guard !files.isEmpty else { return }
    let lock = try FileLock(
      "readers.lock", in: writer.library.root, waiting: max(writer.lockWait, .seconds(10)))
    for file in files {
      let (place, kept) = (Self.last(file.path), FilePath(file.rotten))
      do {
        try target.rename(place, to: rotten, as: kept)
        try rotten.sync()
        try staging.directory.rename(FilePath(file.name), to: target, as: place)
        outcome.kept = rottenPath
      } catch {
        outcome.fail([file], error)
        // a rotten photo is better than none; never over what is in its place
        do {
          try rotten.rename(kept, to: target, as: place)
        } catch {
          if !error.isAbsence {
            outcome.kept = rottenPath
            unsettled.withLock { $0 = true }
          }
        }
      }
    }
    lock.release()
  }

  private func staged(_ file: Journal.Item) -> FilePath {
    staging.path.appending(FilePath(file.name).components)
  }

  static func last(_ path: String) -> FilePath {
    FilePath(FilePath(path).lastComponent?.string ?? "")
  }
}
