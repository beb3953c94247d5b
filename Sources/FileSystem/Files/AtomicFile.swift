import Glibc
import Operations
import SystemPackage

/// A file that appears under its final name only when it is complete: `publish` never replaces a file, `replace` does.
/// Dropping the value before that removes the file.
///
/// Where the file system has files without a name (`O_TMPFILE`), even a kill leaves nothing. Elsewhere (NFS, exFAT,
/// FUSE), and for a file that replaces another, it is a hidden partial, locked while it is written; the next writer in
/// that folder removes partials whose owner died. Where a file can be given a name neither by `RENAME_NOREPLACE` nor by
/// a link, the name is reserved by an empty file first: a reservation that a kill leaves is removed, too.
package struct AtomicFile: ~Copyable, Sendable {
  /// The file, open for reading and writing, mode 0600.
  package let file: File
  private let directory: Directory
  private let partial: FilePath?

  /// How sure it is that a published file survives a power cut.
  package enum Durability: Sendable, Equatable {
    /// The file and its name are durable.
    case durable
    /// The file exists and is complete, but the folder could not be flushed.
    case unknown(FileError)
  }

  /// Stands before the name that a partial reserved.
  private static let reservationMark = "+"

  /// Opens a file in a folder, after removing the partials of writers that have ended.
  ///
  /// - Parameter name: the name that the file will get, for messages; nil if it is not known yet.
  package init(
    _ name: FilePath? = nil, in folder: FilePath, allowUnnamed: Bool = true
  ) throws(FileError) {
    let directory = try Directory.open(folder)
    Self.sweep(directory)
    if allowUnnamed, let file = try directory.openUnnamed(for: name) {
      self.init(file: file, directory: directory, partial: nil)
      return
    }
    while true {
      let partial = PartialName.lockedFile.random()
      let file = try directory.open(partial, .create, for: name)
      // a later run removes an unlocked partial; where there are no locks, no run removes partials
      let isLocked = (try? file.lock(exclusive: true)) ?? true
      // another run may have come before the lock and swept it
      if isLocked, try directory.status(of: partial)?.identity == file.status().identity {
        self.init(file: file, directory: directory, partial: partial)
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
    // removing by name is safe: the name holds a random number, and does not exist after publication
    if let partial { _ = try? directory.remove(partial) }
    file.unlock()
  }

  /// Flushes the file, gives it the first of the names that is free, and flushes the folder.
  ///
  /// - Returns: the name, and whether it is durable; nil if every name was taken. The file is still
  ///   unpublished then.
  /// - Throws: `FileError`; nothing has been published.
  package borrowing func publish(
    as names: some Sequence<FilePath>, sync: Bool = true
  ) throws(FileError) -> (name: FilePath, durability: Durability)? {
    if sync { try file.sync() }
    for name in names {
      do {
        if let partial {
          try rename(partial, to: name)
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

  /// Creates a file with these bytes, or replaces the file with this name. A reader sees the old file
  /// or the new one. Flushes the file before it gets its name, and the folder after that. Blocks.
  ///
  /// - Parameter mode: the permissions, as in chmod(1).
  package static func replace(
    _ name: FilePath, in folder: FilePath, with bytes: [UInt8], mode: UInt16 = 0o600
  ) throws(FileError) {
    // a file without a name can be linked, but not over another
    let output = try AtomicFile(name, in: folder, allowUnnamed: false)
    try output.file.write(bytes, at: 0)
    if mode != 0o600 { try output.file.setPermissions(mode) }
    try output.file.sync()
    if let partial = output.partial { try output.directory.replace(name, with: partial) }
    try output.directory.sync()
  }

  /// Renames the partial. If the file system needs a reservation, first adds the new name to the partial's name, so that a
  /// later run can remove the empty file of a killed run.
  private borrowing func rename(_ partial: FilePath, to name: FilePath) throws(FileError) {
    do {
      return try directory.rename(partial, to: directory, as: name, by: RenameStrategy.atomic)
    } catch {
      guard error.errno == .notSupported else { throw error }
    }
    let suffix = PartialName.lockedFile.rawValue
    let marked = FilePath("\(partial.string.dropLast(suffix.count))\(Self.reservationMark)\(name)\(suffix)")
    guard marked.length <= 255, name.components.count == 1 else {
      return try directory.rename(partial, to: directory, as: name, by: [.reservation])
    }
    try directory.replace(marked, with: partial)
    do {
      try directory.rename(marked, to: directory, as: name, by: [.reservation])
    } catch {
      // an empty file that could not be taken away again is swept with the partial that names it
      let isFree = (try? directory.status(of: name) == nil) ?? false
      if error.errno == .fileExists || isFree { try? directory.replace(partial, with: marked) }
      throw error
    }
  }

  /// Removes the empty file by which an abandoned partial reserved its name.
  private static func sweepReservation(of partial: FilePath, in directory: borrowing Directory) {
    let parts = partial.string.dropLast(PartialName.lockedFile.rawValue.count)
      .split(separator: reservationMark, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let reserved = FilePath(String(parts[1])).fileName,
      let status = try? directory.status(of: reserved), status.kind == .file, status.size == 0,
      status.owner == geteuid()
    else { return }
    _ = try? directory.remove(reserved)
  }

  /// Removes the partials that ended writers of this user left, and the empty files that reserve their names. A caller
  /// that requires a free name sweeps before it checks the name.
  package static func sweep(_ directory: borrowing Directory) {
    for name in (try? directory.names()) ?? [] { _ = try? removeAbandoned(name, in: directory) }
  }
}

extension AtomicFile {
  /// Returns the partials that ended writers of this user left in a folder and that have not changed since a
  /// time. Locks each of them for a moment. Blocks; writes nothing.
  ///
  /// - Throws: `FileError` if the folder cannot be listed.
  package static func abandonedPartials(
    in directory: borrowing Directory, unchangedSince time: Timestamp
  ) throws(FileError) -> [(name: FilePath, status: FileStatus)] {
    var found: [(name: FilePath, status: FileStatus)] = []
    for name in try directory.names() where PartialName.lockedFile.matches(name) {
      guard let known = try? directory.status(of: name), known.kind == .file, known.modified < time,
        let file = openAbandoned(name, in: directory), let status = try? file.status()
      else { continue }
      found.append((name, status))
    }
    return found
  }

  /// Removes an abandoned partial of this user, and the empty file that reserved its final name.
  /// Blocks.
  ///
  /// - Returns: false if the name is not that of such a partial. Then nothing has changed.
  /// - Throws: `FileError` if the file cannot be removed.
  @discardableResult
  package static func removeAbandoned(
    _ name: FilePath, in directory: borrowing Directory
  ) throws(FileError) -> Bool {
    guard PartialName.lockedFile.matches(name), let file = openAbandoned(name, in: directory) else {
      return false
    }
    sweepReservation(of: name, in: directory)
    try directory.remove(name)
    file.unlock()
    return true
  }

  /// Opens and locks a partial; returns nil if its writer is alive, or if it belongs to another user. In a
  /// folder that others can write to, a name proves nothing.
  private static func openAbandoned(_ name: FilePath, in directory: borrowing Directory) -> File? {
    // for writing, since NFS locks nothing exclusively for a reader
    guard let file = try? directory.open(name, .update), let status = try? file.status(),
      status.owner == geteuid(), (try? file.lock(exclusive: true)) == true
    else { return nil }
    return file
  }
}
