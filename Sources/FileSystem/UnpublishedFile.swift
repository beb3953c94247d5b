import Glibc
import SystemPackage

/// A file that is written out of sight and gets its name when it is whole. Until then no name leads to it, so
/// that a half-written one is never taken for a result; dropping the value leaves nothing behind.
///
/// Where the file system has files without a name (`O_TMPFILE`), even a kill leaves nothing. Elsewhere (NFS,
/// exFAT, FUSE) it is a hidden partial, locked while it is written; the next run in that folder sweeps those
/// whose owner died.
public struct UnpublishedFile: ~Copyable, Sendable {
  /// The file, open for reading and writing, mode 0600.
  public let file: File
  private let directory: Directory
  private let partial: FilePath?

  /// How sure it is that a published file survives a power cut.
  public enum Durability: Sendable, Equatable {
    /// The file and its name are on the disk.
    case durable
    /// The file is there and whole, but the folder could not be flushed.
    case unknown(FileError)
  }

  private static let prefix = ".smilepile-"
  private static let suffix = ".partial"

  /// Opens a file in a folder, after sweeping what dead runs left there.
  public init(in folder: FilePath, allowUnnamed: Bool = true) throws(FileError) {
    let directory = try Directory.open(folder)
    Self.sweep(directory)
    if allowUnnamed, let file = try directory.openUnnamed() {
      self.init(file: file, directory: directory, partial: nil)
      return
    }
    while true {
      let number = UInt64.random(in: .min ... .max)
      let name = FilePath(Self.prefix + String(number, radix: 36) + Self.suffix)
      let file = try directory.open(name, .create)
      // an unlocked partial is a dead one; where there are no locks, nothing is swept either
      let isLocked = (try? file.lock(exclusive: true)) ?? true
      // another run may have come before the lock and swept it
      if isLocked, try directory.status(of: name)?.identity == file.status().identity {
        self.init(file: file, directory: directory, partial: name)
        return
      }
    }
  }

  private init(file: consuming File, directory: consuming Directory, partial: FilePath?) {
    self.file = file
    self.directory = directory
    self.partial = partial
  }

  deinit {
    // removing by name is safe: the name holds a random number, and after publication it is gone
    if let partial { _ = try? directory.remove(partial) }
  }

  /// Flushes the file, gives it the first of the names that is free, and flushes the folder.
  ///
  /// - Returns: the name, and whether it is durable; nil if every name was taken. The file is still
  ///   unpublished then.
  /// - Throws: `FileError`; nothing has been published.
  public borrowing func publish(
    as names: some Sequence<FilePath>, sync: Bool = true
  ) throws(FileError) -> (name: FilePath, durability: Durability)? {
    if sync { try file.sync() }
    for name in names {
      do {
        if let partial {
          try directory.rename(partial, to: directory, as: name)
        } else {
          try directory.link(file, as: name)
        }
      } catch {
        if error.errno == .fileExists { continue }
        throw error
      }
      do {
        if sync { try directory.sync() }
        return (name, .durable)
      } catch {
        return (name, .unknown(error))
      }
    }
    return nil
  }

  private static func sweep(_ directory: borrowing Directory) {
    guard let names = try? directory.names() else { return }
    for name in names where name.string.hasPrefix(prefix) && name.string.hasSuffix(suffix) {
      // for writing, since NFS locks nothing exclusively for a reader
      guard let file = try? directory.open(name, .readWrite), (try? file.lock(exclusive: true)) == true else {
        continue
      }
      _ = try? directory.remove(name)
    }
  }
}
