import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage
import Zip

extension ExportBase {
  /// What a search for a base came to.
  enum Found {
    /// The next archive can rest on this.
    case base(ExportBase)
    /// The next archive has to be a full one, and why.
    case none(reason: String)
  }

  /// Looks through a folder for what the next incremental export of a library can rest on: the archive that was changed
  /// last, of those that are readable, were made of this library by the same selection, are encrypted as the next one
  /// will be, are not dated in the future, and rest on nothing that is not there. Blocks; reads only.
  ///
  /// - Parameters:
  ///   - selection: the number of what is selected, nil for everything.
  ///   - options: how the next export is made. Its password opens encrypted archives.
  ///   - mayRest: whether it may be these.
  ///   - check: called between archives, and may throw to give up.
  /// - Throws: `LibraryError`, `FileError` where the folder cannot be read.
  static func find(
    in folder: FilePath, for selection: String?, of library: Library, _ options: ExportOptions,
    mayRest: @escaping ([FilePath]) throws -> Bool, check: @escaping () throws -> Void
  ) throws -> Found {
    let ours = try library.exportIDs()
    guard !ours.isEmpty else { return .none(reason: "the library has no export yet") }
    // strangers' archives may lie there too
    let limits = Limits()
    let archives = try ArchiveFolder(folder, limits: limits, password: options.password, check: check)
    var broken: FilePath?
    var unreadable: FilePath?
    var locked: FilePath?
    var ahead: FilePath?
    let now = options.date ?? Date()
    for path in try ArchiveFolder.files(of: folder) {
      try check()
      let candidate = try ArchiveFolder.attempt { () -> BackupSource? in
        guard try Archive.isArchive(File.open(path, .read)) else { return nil }
        do {
          var source = try BackupSource(path: path, limits: limits, password: options.password)
          // what the archives before it hold, they tell themselves
          if source.increment != nil { source.photos = source.photos.filter { !$0.isHeld } }
          return source
        } catch BackupError.wrongPassword, BackupError.wrongPasswordOrDamaged {
          locked = locked ?? path
          return nil
        } catch BackupError.passwordNeeded {
          return nil
        } catch let error where !BackupFiles.isStranger(path, error) {
          unreadable = unreadable ?? path
          throw error
        }
      }
      guard let candidate, candidate.canBeBase(for: selection, options, ours) else { continue }
      // every increment would rest on it until its day comes, and none on the one before
      if ArchiveRecord.isAhead(candidate.metadata.exportDate ?? 0, of: now) {
        ahead = ahead ?? path
        continue
      }
      let length = candidate.increment?.length ?? 0
      guard length < options.maximumChain else {
        return .none(reason: "\(Count(length, "increment")) on one full archive are as many as there may be")
      }
      var isRefused = false
      let chain = try BackupChain(candidate) { uuid, digest in
        // one for each, the old one rather than what was repaired from it without a loss, as for whoever looks at the folder
        let found = try archives.backups(uuid, digest)
          .filter { $0.metadataDigest == digest || $0.metadata.smilepile?.isRemnant != true }
        let base = try found.last { try mayRest([$0.path]) }
        isRefused = isRefused || base == nil && !found.isEmpty
        return base.map { [$0] } ?? []
      }
      if isRefused { continue }
      guard try mayRest([path]) else { continue }
      if let base = ExportBase(chain) { return .base(base) }
      broken = broken ?? path
    }
    if let broken {
      return .none(reason: "\(broken.string.escaped) rests on an archive that is not in the folder")
    }
    if let unreadable {
      return .none(
        reason: "\(unreadable.string.escaped) cannot be read, and nothing else in the folder can be rested on"
      )
    }
    if let locked {
      return .none(
        reason:
          "\(locked.string.escaped) is encrypted with another password, and nothing else in the folder can be "
          + "rested on")
    }
    if let ahead {
      return .none(reason: "\(ahead.string.escaped) is dated in the future; is the clock right?")
    }
    return .none(reason: "\(folder.string.escaped) has no archive of this library to rest on")
  }
}

extension BackupSource {
  /// Whether an export of the same library, that is selected and encrypted alike, can name this one as its base.
  ///
  /// - Parameter ours: the numbers of the library's exports, so that two libraries that share a folder never rest on
  ///   each other's archives.
  fileprivate func canBeBase(for selection: String?, _ options: ExportOptions, _ ours: Set<String>) -> Bool {
    guard let archive, let provenance = metadata.smilepile, provenance.part == nil,
      ours.contains(provenance.uuid) || provenance.flattenedFrom.map(ours.contains) == true
    else { return false }
    return provenance.selection == selection && provenance.isPartial == options.isSelection
      && archive.entries.allSatisfy { $0.isEncrypted == (options.password != nil) }
  }
}
