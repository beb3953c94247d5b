import ArchiveCatalog
import FileSystem
import Secrets
import SystemPackage

/// The backups in a folder, recognized by their content whatever their names, and their health.
package struct ArchiveInventory: Sendable {
  /// A file that looks like a backup and cannot be read as one, for example because it is truncated.
  package struct Unreadable: Sendable {
    /// The absolute path.
    package var path: String
    /// Why it cannot be read.
    package var error: any Error
    /// The error, for a message.
    package var reason: String { "\(error)" }
    /// True if another user of this machine owns the file.
    package var hasOtherOwner = false
  }

  /// The dependencies between the archives.
  package let graph: ArchiveGraph
  /// Files that may be backups.
  package let unreadable: [Unreadable]
  /// The files of the archives as they were read, by path.
  package let files: [String: ArchiveFile]
  /// True if a password was given. Then archives with plain entries do not count as backups, since they can be made
  /// without the password.
  let requiresEncryption: Bool

  /// Every backup in the folder, oldest first.
  package var archives: [ArchiveDescriptor] { graph.archives }
  /// The archives of this user, oldest first.
  package var ownArchives: [ArchiveDescriptor] { archives.filter { !graph.hasOtherOwner($0) } }
  /// Reports the archives of other users; nil if this user owns all archives.
  package var warningOfOtherOwners: String? {
    let others = archives.filter(graph.hasOtherOwner)
    guard let newest = others.last, let owner = graph.otherOwners[newest.path] else { return nil }
    let name = UserAccount.label(of: owner)
    return others.count == 1
      ? "\(newest.path) belongs to \(name); it is kept, and does not count as a backup"
      : "\(others.count) archives belong to other users, the newest, \(newest.path), to \(name); they are kept, and do "
        + "not count as backups"
  }

  /// Returns true if an archive has plain entries although a password was given.
  package func isPlain(_ archive: ArchiveDescriptor) -> Bool {
    requiresEncryption && !archive.isLocked && !archive.isFullyEncrypted
  }

  /// Returns true if an archive counts as a backup of a library:
  ///
  /// - It may be of the library, and has the tags.
  /// - It belongs to this user.
  /// - It can be decrypted and, if a password was given, has no plain entries.
  ///
  /// - Parameter library: the ID of the library, since jobs of two computers may share a name and a folder; nil for every
  ///   library.
  package func isBackup(_ archive: ArchiveDescriptor, ofLibrary library: String?, tags: [String]) -> Bool {
    tags.allSatisfy(archive.tags.contains) && archive.mayBe(ofLibrary: library) && !archive.isLocked
      && !isPlain(archive) && !graph.hasOtherOwner(archive)
  }

  /// Returns the archives that count as backups of a library, oldest first.
  package func backups(ofLibrary library: String?, tags: [String]) -> [ArchiveDescriptor] {
    archives.filter { isBackup($0, ofLibrary: library, tags: tags) }
  }

  /// Reports the archives with plain entries; nil if there are none, or if no password was given.
  ///
  /// - Parameter tags: the tags that a reported archive has.
  package func warningOfPlainArchives(tags: [String]) -> String? {
    let plain = archives.filter { archive in
      isPlain(archive) && tags.allSatisfy(archive.tags.contains)
    }
    guard let newest = plain.last else { return nil }
    return plain.count == 1
      ? "\(newest.path) is not encrypted; it is kept, and does not count as a backup"
      : "\(plain.count) archives are not encrypted, the newest is \(newest.path); they are kept, and do not count as backups"
  }

  /// Lists a folder without its subfolders. Blocks.
  ///
  /// Writes only descriptors into the ledger. The descriptors of plain archives are a cache, so that the next run does
  /// not open an unchanged file again. Those of encrypted archives are a record for times when the password does not
  /// open them.
  ///
  /// - Parameters:
  ///   - password: for encrypted archives, which are opened each time, since the password may have changed.
  ///   - ledger: the health of archives, and their descriptors.
  ///   - whileReading: called before each file; may throw to cancel.
  /// - Throws: `FileError` if the folder cannot be listed, the errors of `whileReading`, and environment failures.
  package init(
    folder: FilePath, password: Secret? = nil, ledger: Ledger? = nil, whileReading: () throws -> Void = {}
  ) throws {
    let location = ArchiveFile.location(of: folder)
    let stored = ledger?.descriptors(inFolder: location) ?? [:]
    func file(_ path: FilePath, _ status: FileStatus) -> ArchiveFile {
      // links are not listed, so that a file's name is the last component of its location
      ArchiveFile(location: "\(location)/\(path.name)", status)
    }
    func known(_ file: ArchiveFile) -> ArchiveDescriptor? {
      guard let known = stored[file.location], known.file == file, !known.descriptor.isEncrypted else {
        return nil
      }
      return known.descriptor
    }
    let listed = try BackupFiles.list(
      folder, isKnown: { known(file($0, $1)) != nil }, whileReading: whileReading)
    var archives: [ArchiveDescriptor] = []
    var located: [String: ArchiveFile] = [:]
    var unreadable: [Unreadable] = []
    var otherOwners: [String: UInt32] = [:]
    var new: [(file: ArchiveFile, descriptor: ArchiveDescriptor)] = []
    for (path, status) in listed {
      try whileReading()
      let file = file(path, status)
      let hasOtherOwner = !Ownership.isOwn(status, at: path)
      let path = path.absolute.string
      if hasOtherOwner { otherOwners[path] = status.owner }
      do {
        if let known = known(file) {
          archives.append(known.moved(to: path))
        } else {
          let recorded = stored[file.location].flatMap {
            $0.file.isSameVersion(as: file) ? $0.descriptor : nil
          }
          var descriptor = try ArchiveDescriptor(path: FilePath(path), password: password)
          if descriptor.isLocked, let recorded {
            descriptor = recorded.moved(to: path)
            descriptor.isLocked = true
          } else if !descriptor.isLocked, recorded == nil {
            new.append((file, descriptor))
          }
          archives.append(descriptor)
        }
        located[path] = file
      } catch BackupError.noSuchBackup {
        // another process removed the file meanwhile
      } catch  where error.cause.isInconclusive {
        throw error
      } catch {
        if BackupFiles.isThirdParty(FilePath(path), error) { continue }
        unreadable.append(Unreadable(path: path, error: error, hasOtherOwner: hasOtherOwner))
      }
    }
    // the descriptor of an encrypted archive is a record, because the password may be unknown when the file returns
    let cached = stored.filter { !$0.value.descriptor.isEncrypted }.keys
    let obsolete = Set(cached).subtracting(located.values.map(\.location))
    ledger?.store(new, deleting: obsolete.sorted())
    self.init(archives, located, unreadable, otherOwners, password?.isEmpty == false, ledger)
  }

  private init(
    _ archives: [ArchiveDescriptor], _ files: [String: ArchiveFile], _ unreadable: [Unreadable],
    _ otherOwners: [String: UInt32], _ requiresEncryption: Bool, _ ledger: Ledger?
  ) {
    let health = ledger?.health(of: Array(files.values)) ?? []
    graph = ArchiveGraph(
      archives, health: Dictionary(uniqueKeysWithValues: zip(files.keys, health)),
      otherOwners: otherOwners)
    (self.files, self.unreadable, self.requiresEncryption) = (files, unreadable, requiresEncryption)
  }

  /// Returns the inventory after this operation has changed the folder, with the current health of the archives.
  /// Stores the descriptors in the ledger. Does not list the folder. Blocks.
  ///
  /// - Parameters:
  ///   - written: archives that were written to the folder.
  ///   - removed: the paths of archives that were removed from the folder.
  package func updated(
    adding written: [ArchiveDescriptor] = [], removing removed: [String] = [], _ ledger: Ledger
  ) -> ArchiveInventory {
    var files = files
    var new: [(file: ArchiveFile, descriptor: ArchiveDescriptor)] = []
    for archive in written {
      files[archive.path] = ArchiveFile(at: FilePath(archive.path))
      if let file = files[archive.path], !archive.isLocked { new.append((file, archive)) }
    }
    let deleted = removed.compactMap { files.removeValue(forKey: $0)?.location }
    ledger.store(new, deleting: deleted)
    let known = archives.filter { archive in !written.contains { $0.path == archive.path } } + written
    var otherOwners = graph.otherOwners
    for archive in written { otherOwners[archive.path] = nil }
    return ArchiveInventory(
      known.filter { files[$0.path] != nil }, files, unreadable, otherOwners, requiresEncryption, ledger)
  }
}

extension ArchiveInventory {
  /// Returns all archives that a restore of one archive requires, that archive first: the other parts of its set,
  /// or its chain.
  ///
  /// - Throws: `IncompleteSet` if a part is missing, or `BrokenChain` with an unreadable file that may be the base.
  package func members(of archive: ArchiveDescriptor) throws -> [ArchiveDescriptor] {
    do {
      return try graph.members(of: archive)
    } catch var error as BrokenChain {
      error.unreadable = unreadable.first?.path
      throw error
    }
  }
}
