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

  /// Every backup in it, oldest first.
  public private(set) var archives: [ArchiveRecord] = []
  /// What may have been a backup.
  public private(set) var unreadable: [Unreadable] = []
  /// Archives that there is reason to doubt, by path: where another can do what one of them does, it is that other.
  private var doubted: Set<String> = []

  /// Reads a folder; those below it are not looked into. Blocks; writes nothing but the cache.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - password: for those that are encrypted.
  ///   - cache: spares reading archives that have not changed since.
  ///   - whileReading: called before each file; may throw to give up.
  /// - Throws: `FileError` if the folder cannot be listed, what `whileReading` throws, and what says nothing of a file,
  ///   since this process lacks memory or may open no more files.
  public init(
    folder: FilePath, password: Secret? = nil, cache: CatalogCache? = nil,
    whileReading: () throws -> Void = {}
  ) throws {
    cache?.refresh()
    // an encrypted one is opened every time: today's password may not be the one that opened it then
    func known(_ path: FilePath, _ status: FileStatus) -> ArchiveRecord? {
      cache?.record(of: path, status).flatMap { $0.isEncrypted ? nil : $0 }
    }
    let files = try BackupFiles.list(
      folder, isKnown: { known($0, $1) != nil }, whileReading: whileReading)
    for (path, status) in files {
      try whileReading()
      if let known = known(path, status) {
        archives.append(known)
        continue
      }
      do {
        let record = try ArchiveRecord(path: path, password: password)
        archives.append(record)
        if !record.isLocked { cache?.note(record, status) }
      } catch BackupError.noSuchBackup {
        // it went in the meantime
      } catch  where ArchiveVerification.isObstacle(error) {
        throw error
      } catch {
        if BackupFiles.isStranger(path, error) { continue }
        unreadable.append(Unreadable(path: path.absoluteString, reason: "\(error)"))
      }
    }
    archives.sort { ($0.date, $0.path) < ($1.date, $1.path) }
    if let cache { doubted = Set(archives.filter(cache.isDoubted).map(\.path)) }
    cache?.save(keeping: archives, of: folder)
  }
}

// MARK: Chains and sets

extension Catalog {
  /// The archives that an archive rests on, the nearest first, down to the full one. Of several that can be one of them,
  /// it is one that nothing is known against, if there is any; and none of which something was lost when it was repaired.
  ///
  /// - Parameters:
  ///   - archive: the archive to restore.
  ///   - damaged: archives that were found damaged, by path.
  /// - Throws: `ChainError` if one is gone, or another archive has its number.
  public func chain(
    of archive: ArchiveRecord, passingOver damaged: Set<String> = []
  ) throws(ChainError) -> [ArchiveRecord] {
    var chain: [ArchiveRecord] = []
    var current = archive
    while let base = current.base {
      let named = archives.filter { $0.uuid == base.uuid }
      // of two copies of one, the later name is that of the copy which was made since the other had rotten
      let able =
        named.filter { !$0.isRemnant && $0.digest != base.digest && $0.stands(for: base) }
        + named.filter { $0.digest == base.digest }
      let sound = able.filter { !damaged.contains($0.path) }
      guard let next = sound.last(where: { !doubted.contains($0.path) }) ?? sound.last ?? able.last else {
        throw ChainError(
          archive: archive.path, base: base.uuid, isOther: !named.isEmpty,
          remnant: named.first { $0.stands(for: base) }?.path, unreadable: unreadable.first?.path)
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

  /// All archives that can be one of those that an archive rests on, whatever may be wrong with them.
  public func allBases(of archive: ArchiveRecord) -> [ArchiveRecord] {
    var bases: [ArchiveRecord] = []
    var base = archive.base
    while let wanted = base {
      let found = archives.filter { $0.stands(for: wanted) && $0 != archive && !bases.contains($0) }
      bases += found
      base = found.first?.base
    }
    return bases
  }

  /// All the archives that restoring one takes, which comes first: the other parts of its set, or those that it rests
  /// on, the nearest first.
  ///
  /// - Parameters:
  ///   - archive: the archive to restore.
  ///   - damaged: archives that were found damaged, by path.
  /// - Throws: `IncompleteSet` if a part is gone, or what `chain(of:)` throws.
  public func members(
    of archive: ArchiveRecord, passingOver damaged: Set<String> = []
  ) throws -> [ArchiveRecord] {
    guard let part = archive.part else {
      return [archive] + (try chain(of: archive, passingOver: damaged))
    }
    // here too
    let parts = Dictionary(
      archives.filter { $0.part?.set == part.set }.map { ($0.part?.number ?? 0, $0) },
      uniquingKeysWith: { _, last in last })
    let missing = (1...part.count).filter { parts[$0] == nil }
    guard missing.isEmpty else {
      throw IncompleteSet(archive: archive.path, missing: missing, count: part.count)
    }
    return [archive]
      + parts.values.filter { $0.part != part }.sorted { ($0.part?.number ?? 0) < ($1.part?.number ?? 0) }
  }
}

extension ArchiveRecord {
  /// Whether it is what an increment names as its base, or was repaired from that.
  fileprivate func stands(for base: Base) -> Bool {
    uuid == base.uuid && (digest == base.digest || repairedFrom?.contains(base.digest) == true)
  }
}

/// Archives that hold a library together, of which some are not there.
public struct IncompleteSet: Error, Sendable, Equatable, CustomStringConvertible {
  /// One that is there.
  public var archive: String
  /// The numbers of those that are not, from 1.
  public var missing: [Int]
  /// How many there should be.
  public var count: Int

  /// One line, with the remedy.
  public var description: String {
    let numbers = missing.map(String.init).joined(separator: ", ")
    let (parts, them) = missing.count == 1 ? ("part", "it") : ("parts", "them")
    return "\(archive) is one of \(count) parts, and its folder lacks \(parts) \(numbers); put \(them) back"
      .escaped
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
  /// What a repair could rescue of the base, which is not all of it.
  public var remnant: String?
  /// A file of the folder that cannot be read, and may be the base.
  public var unreadable: String?

  private var perhaps: String { unreadable.map { ", unless it is \($0), which cannot be read" } ?? "" }

  /// One line, with the remedy.
  public var description: String {
    if let remnant {
      let message =
        "\(archive) rests on archive \(base), of which \(remnant) holds what could be rescued; put the whole one back, or "
        + "import or flatten what there is"
      return message.escaped
    }
    return isOther
      ? "\(archive) rests on archive \(base), and the one of that number is not the same; put the right one back"
        .escaped
      : "\(archive) rests on archive \(base), which is not in its folder\(perhaps); put it back".escaped
  }
}
