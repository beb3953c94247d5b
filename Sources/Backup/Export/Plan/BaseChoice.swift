import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// Chooses the base of an incremental export.
struct BaseChoice {
  /// The base; nil if the export must be a full one.
  let base: ExportBase?
  /// Why the export must be a full one.
  let reason: String?
  /// Newer archives of the folder that cannot be the base, newest first.
  let rejected: [RejectedBase]

  /// Chooses the newest archive of a folder that meets the requirements of an export and is intact with its chain.
  /// Verifies archives as `options` require. Blocks; reads only.
  ///
  /// - Parameters:
  ///   - selection: the digest of the selection, nil for everything.
  ///   - options: the options of the export. Their password opens encrypted archives.
  ///   - observer: knows the health of archives, and records what is verified.
  /// - Throws: `LibraryError`, `FileError` if the folder cannot be read, environment failures, `CancellationError`.
  init(
    in folder: FilePath, for selection: String?, of library: Library, _ options: ExportOptions,
    _ observer: ArchiveObserver, _ counter: ProgressCounter
  ) throws {
    let exportIDs = try library.exportIDs()
    guard !exportIDs.isEmpty else {
      (base, reason, rejected) = (nil, "this is the first export of the library", [])
      return
    }
    let verifier = ArchiveVerifier(
      observer: observer, password: options.password, verifiesUnverified: options.verifies)
    let inventory = try ArchiveInventory(
      folder: folder, password: options.password, ledger: observer.ledger,
      whileReading: counter.checkCancellation)
    var requirements = BaseRequirements(
      exportIDs: exportIDs, maximumChainDepth: options.maximumChainDepth, date: options.date ?? Date())
    (requirements.selection, requirements.isPartial) = (selection, options.selectsSomePhotos)
    (requirements.isEncrypted, requirements.tag) = (options.password != nil, options.baseTag)
    var graph = inventory.graph
    var choice = graph.base(for: requirements)
    var base: ExportBase?
    while let members = choice.members, base == nil {
      let unusable: [ArchiveDescriptor]
      (base, unusable) = try Self.open(members, in: folder, options.password, verifier, counter)
      guard base == nil else { break }
      graph = graph.excluding(Set(unusable.map(\.path)))
      choice = graph.base(for: requirements)
    }
    self.base = base
    reason = base == nil ? Self.reason(choice.rejected, inventory, folder) : nil
    rejected = choice.rejected.map(RejectedBase.init)
  }

  /// Opens an archive and its chain after verifying those whose health is unknown.
  ///
  /// - Returns: the base, or the archives that cannot be used.
  private static func open(
    _ members: [ArchiveDescriptor], in folder: FilePath, _ password: Secret?, _ verifier: ArchiveVerifier,
    _ counter: ProgressCounter
  ) throws -> (base: ExportBase?, unusable: [ArchiveDescriptor]) {
    var corrupt = try members.filter { try !verifier.isUsable($0, counter) }
    if corrupt.isEmpty {
      do {
        if let base = try ExportBase(members, in: folder, password: password) { return (base, []) }
      } catch BackupError.noSuchBackup {
        // another process removed the archive since it was listed
      } catch  where !error.cause.isInconclusive {
        // the archive is corrupt, and the ledger did not know
        corrupt = try verifier.unusableAfterReverifying(members, counter)
      }
    }
    // an archive that another process has replaced since it was listed cannot be used either
    return (nil, corrupt.isEmpty ? [members[0]] : corrupt)
  }

  /// Returns the most actionable reason.
  private static func reason(
    _ rejected: [(archive: ArchiveDescriptor, reason: BaseRejection)], _ inventory: ArchiveInventory,
    _ folder: FilePath
  ) -> String {
    func first(_ matches: (BaseRejection) -> Bool) -> String? {
      rejected.first { matches($0.reason) }.map { RejectedBase($0).message }
    }
    let own =
      first { if case .chainTooDeep = $0 { true } else { false } }
      ?? first { if case .brokenChain = $0 { true } else { false } }
      ?? first { if case .corrupt = $0 { true } else { false } }
    if let own { return own }
    if let unreadable = inventory.unreadable.last {
      return
        "\(unreadable.path.escaped) cannot be read, and the folder has no other archive that can be the base"
    }
    return first { $0 == .otherPassword } ?? first { $0 == .otherOwner } ?? first { $0 == .datedInFuture }
      ?? "\(folder.string.escaped) has no archive of this library that can be the base"
  }
}

/// An archive that cannot be the base of an export.
package struct RejectedBase: Sendable, Equatable {
  /// The path of the archive.
  package var archive: String
  /// Why the archive cannot be the base.
  package var reason: BaseRejection

  init(_ rejected: (archive: ArchiveDescriptor, reason: BaseRejection)) {
    (archive, reason) = (rejected.archive.path, rejected.reason)
  }

  /// One line for the user.
  package var message: String {
    let path = archive.escaped
    return switch reason {
    case .otherContent: "\(path) contains another library or another selection"
    case .notComplete: "\(path) is a part of a split archive, or a JSON document"
    case .otherTag: "\(path) was not made by this job"
    case .partiallyRecovered: "\(path) is partially recovered"
    case .otherOwner: "\(path) belongs to another user"
    case .otherEncryption: "\(path) is encrypted differently"
    case .otherPassword: "\(path) is encrypted with another password"
    case .datedInFuture: "\(path) is dated in the future; check the clock"
    case .chainTooDeep(let depth): "the chain of \(path) has the maximum depth, \(depth)"
    case .brokenChain(let error): "\(error)"
    case .corrupt(let corrupt):
      corrupt == archive ? "\(path) is corrupt" : "\(path) depends on \(corrupt.escaped), which is corrupt"
    }
  }
}
