import FileSystem
import Foundation
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// The backups in a folder, read from the files themselves; what they are called does not matter.
public struct Catalog: Sendable {
  /// A file that looks like a backup and cannot be read as one: cut off, half copied, damaged.
  public struct Unreadable: Sendable, Equatable {
    /// Where it lies.
    public var path: String
    /// Why it cannot be read.
    public var reason: String
  }

  /// The folder.
  public let folder: FilePath
  /// Every backup in it, oldest first.
  public private(set) var archives: [ArchiveRecord] = []
  /// What may have been a backup.
  public private(set) var unreadable: [Unreadable] = []

  /// Reads a folder; those below it are not looked into. Blocks; writes nothing but the cache.
  ///
  /// - Parameters:
  ///   - password: for those that are encrypted.
  ///   - cache: spares reading archives that have not changed since.
  ///   - whileReading: called before each file; may throw to give up.
  /// - Throws: `FileError` if the folder cannot be listed, or what `whileReading` throws.
  public init(
    folder: FilePath, password: Secret? = nil, cache: CatalogCache? = nil,
    whileReading: () throws -> Void = {}
  ) throws {
    self.folder = folder
    let directory = try Directory.open(folder)
    for name in try directory.names() where !name.string.hasPrefix(".") {
      try whileReading()
      guard let status = try directory.status(of: name), status.kind == .file else { continue }
      let path = directory.path(of: name)
      if let known = cache?.record(of: path, status), !known.isLocked || password == nil {
        archives.append(known)
        continue
      }
      guard try Self.mayBeBackup(name, in: directory) else { continue }
      do {
        let record = try ArchiveRecord(path: path, password: password)
        archives.append(record)
        cache?.note(record, status)
      } catch BackupError.notABackup, BackupError.noMetadata {
        // a ZIP of somebody else's, unless it bears our name
        if Self.hasOurName(name) {
          unreadable.append(Unreadable(path: path.absoluteString, reason: "it is no SmilePile backup"))
        }
      } catch {
        unreadable.append(Unreadable(path: path.absoluteString, reason: "\(error)"))
      }
    }
    archives.sort { ($0.date, $0.path) < ($1.date, $1.path) }
    cache?.save(keeping: archives, of: folder)
  }

  /// By its first bytes an archive; a JSON document by its name too, since every program writes those.
  static func mayBeBackup(_ name: FilePath, in directory: borrowing Directory) throws -> Bool {
    do throws(FileError) {
      let file = try directory.open(name, .read)
      let start = try file.read(4, at: 0)
      if start.starts(with: [0x50, 0x4B]) || hasOurName(name) { return true }
      return start.first == UInt8(ascii: "{") && ["json", "smilepile"].contains(name.extension?.lowercased())
    } catch {
      // unreadable for this user, or gone meanwhile
      if error.isAbsence { return false }
      return hasOurName(name)
    }
  }

  /// As this project and both apps call their backups.
  static func hasOurName(_ name: FilePath) -> Bool {
    let text = name.string.lowercased()
    return (text.hasPrefix("smilepile_backup_") || text.hasPrefix("smilepilebackup_"))
      && ["zip", "json", "smilepile"].contains(name.extension?.lowercased())
  }
}

// MARK: Chains and sets

extension Catalog {
  /// The archives that an archive rests on, the nearest first, down to the full one.
  ///
  /// - Throws: `ChainError` if one is gone, or another archive has its number.
  public func chain(of archive: ArchiveRecord) throws(ChainError) -> [ArchiveRecord] {
    var chain: [ArchiveRecord] = []
    var current = archive
    while let base = current.base {
      let named = archives.filter { $0.uuid == base.uuid }
      guard let next = named.first(where: { $0.digest == base.digest }) else {
        throw ChainError(
          archive: archive.path, base: base.uuid, isOther: !named.isEmpty)
      }
      // a chain that leads to itself was made by hand
      guard next != archive, !chain.contains(next) else {
        throw ChainError(archive: archive.path, base: base.uuid, isOther: true)
      }
      chain.append(next)
      current = next
    }
    return chain
  }
}

/// An increment whose base is not there.
public struct ChainError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The increment.
  public var archive: String
  /// The number of the base.
  public var base: String
  /// An archive has that number, and is another one.
  public var isOther: Bool

  /// One line, with the remedy.
  public var description: String {
    isOther
      ? "\(archive) rests on archive \(base), and the one of that number is not the same; put the right one back"
        .escaped
      : "\(archive) rests on archive \(base), which is not in its folder; put it back".escaped
  }
}
