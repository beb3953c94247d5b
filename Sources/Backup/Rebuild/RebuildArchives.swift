import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import Zip

/// The archives of a library whose database is lost.
struct RebuildArchives {
  /// The newest archive that can be used, or all parts of it if it is split; empty without such an archive.
  private(set) var newest: [OpenedBackup] = []
  /// The other archives, in the order in which they are searched for missing photos.
  private(set) var others: [ArchiveDescriptor] = []
  /// The ID of the library; nil if it is unknown.
  private(set) var libraryID: String?
  /// True if the damaged database or the ledger tells the ID, so that the archives are certainly those of the library.
  private(set) var isIDKnown = false
  /// True if another library was in the folder later, such as the library after a reset.
  private(set) var isOfFormerLibrary = false
  /// Archives that were named and cannot be read.
  private(set) var unusable: [Finding] = []
  private(set) var warnings: [String] = []
  /// The archives of the library, oldest first.
  private(set) var records: [ExportRecord] = []
  private let options: RebuildOptions
  private let observer: ArchiveObserver
  private let opener: BackupOpener

  /// Finds the archives of the library, and opens the newest one that can be used. Blocks; writes only into the ledger.
  ///
  /// - Parameters:
  ///   - path: the folder of the library.
  ///   - id: the library ID in the damaged database; nil if it cannot be read.
  /// - Throws: `RebuildError`, `BackupError` if a password is needed or wrong, the error of an archive if none can be read,
  ///   or `CancellationError`.
  init(
    of path: FilePath, id: String?, _ options: RebuildOptions, _ observer: ArchiveObserver,
    _ counter: ProgressCounter
  ) throws {
    (self.options, self.observer) = (options, observer)
    opener = BackupOpener(
      counter: counter, limits: options.limits, password: options.password, ledger: options.ledger)
    let search = try ArchiveSearch(options.archives, opener)
    if search.archives.isEmpty, let first = search.unusable.first, !options.acceptsNoArchive {
      throw first.error
    }
    (unusable, warnings) = (search.unusable.map { Finding(of: $0.path, $0.error) }, search.warnings)
    counter.report(unusable)
    let own = search.archives.filter { $0.isOurs && !$0.isDocument }
    if own.isEmpty, let locked = search.archives.first(where: \.isLocked) { throw passwordError(locked) }
    // the folder may have had the database of another library for a time
    let recorded = Self.recordedIDs(of: path, options.ledger)
    libraryID = id ?? recorded.first { id in own.contains { $0.libraryID == id } } ?? recorded.first
    isIDKnown = libraryID != nil
    isOfFormerLibrary = id == nil && libraryID != recorded.first
    let mine = try archives(own, ofLibrary: libraryID, at: path)
    libraryID = libraryID ?? mine.last?.libraryID
    let graph = ArchiveGraph(mine, health: search.health)
    // copies have one ID
    var ids: Set<String> = []
    records = graph.archives.compactMap { ExportRecord($0) }.filter { ids.insert($0.id).inserted }
    try openNewest(graph)
  }

  /// Uses none of the archives, since they seem to be of another library.
  mutating func leaveOut() {
    (newest, others, records, libraryID) = ([], [], [], nil)
    warnings.append("no archive is used, since none has a photo of the library")
  }

  private func passwordError(_ archive: ArchiveDescriptor) -> BackupError {
    let path = FilePath(archive.path)
    return options.password?.isEmpty ?? true ? .passwordNeeded(path) : .wrongPassword(path)
  }

  /// Returns the IDs that the ledger knows of libraries in a folder, that of the newest operation first.
  private static func recordedIDs(of path: FilePath, _ ledger: Ledger?) -> [String] {
    let runs = ledger?.runs() ?? []
    return runs.filter { $0.libraryPath?.isSamePlace(as: path) ?? false }.compactMap(\.libraryID)
  }

  /// Returns the archives of one library.
  private func archives(
    _ archives: [ArchiveDescriptor], ofLibrary id: String?, at path: FilePath
  ) throws -> [ArchiveDescriptor] {
    if let id {
      let mine = archives.filter { $0.libraryID == id }
      if mine.isEmpty, let other = archives.last, !options.acceptsNoArchive {
        throw RebuildError.otherLibrary(path, archive: FilePath(other.path))
      }
      return mine
    }
    let byID = Dictionary(grouping: archives, by: \.libraryID)
    guard byID.count <= 1 else {
      let examples = byID.values.compactMap(\.last).sorted { $0.path < $1.path }
      throw RebuildError.severalLibraries(path, archives: examples.map { FilePath($0.path) })
    }
    return archives
  }

  /// Returns the archives in the order in which they are tried: complete ones before others, then the newest ones first.
  private static func ranked(_ graph: ArchiveGraph) -> [ArchiveDescriptor] {
    let now = Date()
    func rank(_ archive: ArchiveDescriptor) -> Int {
      switch archive.extent {
      case .library, .part: graph.health(of: archive).isSuspect || archive.isOrderUnknown(at: now) ? 1 : 0
      case .selection, .partiallyRecovered, .document: 2
      }
    }
    return graph.archives.reversed().enumerated()
      .sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
  }

  /// Opens the first archive that can be used, with all parts of its set.
  ///
  /// - Throws: the error of the best archive if none can be used, and the caller needs one.
  private mutating func openNewest(_ graph: ArchiveGraph) throws {
    others = Self.ranked(graph)
    var failure: (any Error)?
    for archive in others {
      guard !archive.isLocked else { throw passwordError(archive) }
      do {
        let set = archive.part == nil ? [archive] : try graph.members(of: archive)
        newest = try set.map { try open($0) }
        let used = Set(set.map(\.path))
        others.removeAll { used.contains($0.path) }
        return
      } catch  where error.cause.isInconclusive || error.cause.isOfPassword {
        guard case BackupError.noSuchBackup = error else { throw error }
      } catch {
        failure = failure ?? error
        warnings.append("\(archive.path.escaped) cannot be used: \(error)")
      }
    }
    if let failure, !options.acceptsNoArchive { throw failure }
  }

  /// Opens an archive with its chain.
  func open(_ archive: ArchiveDescriptor) throws -> OpenedBackup {
    let path = FilePath(archive.path)
    return try observer.recordingDamage(of: path) {
      let backup = try opener.withChain(opener.open(path))
      try backup.requirePassword(toRead: .photos)
      return try backup.completingChecksums(opener.counter)
    }
  }
}

/// Lists archives and folders of archives.
private struct ArchiveSearch {
  private(set) var archives: [ArchiveDescriptor] = []
  private(set) var health: [String: ArchiveHealth] = [:]
  /// The named archives that cannot be read.
  private(set) var unusable: [(path: FilePath, error: any Error)] = []
  private(set) var warnings: [String] = []

  /// - Throws: an error that says nothing about an archive, or `BackupError.noSuchBackup`.
  init(_ paths: [FilePath], _ opener: BackupOpener) throws {
    for path in paths {
      if (try? Directory.open(path)) != nil {
        add(try opener.inventory(of: path))
        continue
      }
      do {
        let archive = try ArchiveDescriptor(
          path: path, password: opener.password, limits: opener.limits)
        let known = ArchiveFile(at: path).flatMap { opener.ledger?.health(of: $0) }
        add([archive], [archive.path: known ?? .unverified])
      } catch let error where !error.cause.isInconclusive {
        unusable.append((path, error))
      }
    }
  }

  private mutating func add(_ inventory: ArchiveInventory) {
    warnings += [inventory.warningOfOtherOwners].compactMap(\.self)
    warnings += inventory.unreadable.map { "\($0.path.escaped) cannot be used: \($0.reason)" }
    let own = inventory.ownArchives
    let states = own.map { ($0.path, inventory.graph.health(of: $0)) }
    // two paths are one key if they differ only in their normal forms
    add(own, Dictionary(states, uniquingKeysWith: { first, _ in first }))
  }

  private mutating func add(_ new: [ArchiveDescriptor], _ states: [String: ArchiveHealth]) {
    let known = Set(archives.map(\.path))
    archives += new.filter { !known.contains($0.path) }
    health.merge(states) { first, _ in first }
  }
}

extension ExportRecord {
  /// Returns nil for an archive without an ID.
  fileprivate init?(_ archive: ArchiveDescriptor) {
    guard let id = archive.archiveID else { return nil }
    self.init(
      id: id, archive: archive.path, at: archive.date, sequence: archive.order, photos: archive.photos,
      archiveBytes: archive.fileBytes, isPartial: archive.isPartial)
    categories = archive.categories
  }
}
