import ArchiveCatalog
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import Zip

/// Which archive an incremental export depends on.
struct BaseSelection {
  /// The base; nil if the export has to be a full one.
  var base: ExportBase?
  /// Why it has to be a full one.
  var reason: String?
  /// Why newer archives of the folder will not do, newest first.
  var rejected: [RejectedBase] = []
  /// Archives that were found damaged on the way, in an export of its own.
  var warnings: [String] = []

  private static func full(_ reason: String) -> BaseSelection { BaseSelection(reason: reason) }

  /// Chooses the newest archive of a folder that meets the requirements of an export and is intact, with all that it
  /// depends on. Verifies archives as `options` asks for. Blocks; reads only.
  ///
  /// - Parameters:
  ///   - selection: the digest of what is selected, nil for everything.
  ///   - options: how the next export is made. Its password opens encrypted archives.
  /// - Throws: `LibraryError`, `FileError` if the folder cannot be read, environment failures, `CancellationError`.
  init(
    in folder: FilePath, for selection: String?, of library: Library, _ options: ExportOptions,
    _ counter: ProgressCounter
  ) throws {
    let exportIDs = try library.exportIDs()
    guard !exportIDs.isEmpty else {
      self = .full("the library has no export yet")
      return
    }
    let observer = options.observer ?? (options.ledger ?? Ledger()).observer("export")
    let verifier = ArchiveVerifier(
      observer: observer, password: options.password, verifiesUnknown: options.verifies)
    let inventory = try ArchiveInventory(
      folder: folder, password: options.password, ledger: observer.ledger,
      whileReading: counter.checkCancellation)
    var requirements = BaseRequirements(
      exportIDs: exportIDs, maximumDepth: options.maximumChain, date: options.date ?? Date())
    (requirements.selection, requirements.isPartial) = (selection, options.isSelection)
    (requirements.isEncrypted, requirements.tag) = (options.password != nil, options.baseTag)
    var graph = inventory.graph
    while case (let members?, let rejected) = graph.base(for: requirements) {
      var unusable = try members.filter { try !verifier.areIntact([$0], counter) }
      if unusable.isEmpty {
        do {
          if let base = try ExportBase(members, in: folder, password: options.password) {
            self.init(base: base, rejected: rejected.map(RejectedBase.init))
            if options.observer == nil { warnings = observer.damageWarnings }
            return
          }
        } catch BackupError.noSuchBackup {
          // another process removed it since it was listed
        } catch  where !ArchiveVerification.isEnvironmentFailure(error) {
          // corrupt although nothing was known against it
          unusable = try verifier.damaged(among: members, counter)
        }
      }
      // an archive that was replaced since it was listed is of no use either
      graph = graph.excluding(Set((unusable.isEmpty ? [members[0]] : unusable).map(\.path)))
    }
    let rejected = graph.base(for: requirements).rejected
    self.init(
      reason: Self.reason(rejected, inventory, folder), rejected: rejected.map(RejectedBase.init))
    if options.observer == nil { warnings = observer.damageWarnings }
  }

  private init(base: ExportBase? = nil, reason: String? = nil, rejected: [RejectedBase] = []) {
    (self.base, self.reason, self.rejected) = (base, reason, rejected)
  }

  /// Returns the reason that the user can do most about.
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
      return "\(unreadable.path.escaped) cannot be read, and the folder has no other archive to depend on"
    }
    return first { $0 == .locked } ?? first { $0 == .datedInFuture }
      ?? "\(folder.string.escaped) has no archive of this library to depend on"
  }
}

/// An archive that cannot be the base of an export.
package struct RejectedBase: Sendable, Equatable {
  /// The path of the archive.
  package var archive: String
  /// Why not.
  package var reason: BaseRejection

  init(_ rejected: (archive: ArchiveDescriptor, reason: BaseRejection)) {
    (archive, reason) = (rejected.archive.path, rejected.reason)
  }

  /// One line.
  package var message: String {
    let path = archive.escaped
    return switch reason {
    case .otherContent: "\(path) holds another library or another selection"
    case .notComplete: "\(path) is one part of a set, or a document"
    case .otherTag: "\(path) was not made by this job"
    case .partiallyRecovered: "\(path) is a partial recovery"
    case .otherEncryption: "\(path) is encrypted differently"
    case .locked: "\(path) is encrypted with another password"
    case .datedInFuture: "\(path) is dated in the future; is the clock right?"
    case .chainTooDeep(let depth): "the chain of \(path) has its greatest depth, \(depth)"
    case .brokenChain(let error): "\(error)"
    case .corrupt(let corrupt):
      corrupt == archive ? "\(path) is corrupt" : "\(path) depends on \(corrupt.escaped), which is corrupt"
    }
  }
}
