import FileSystem
import Operations
import Secrets
import SystemPackage
import Zip

/// Archives that photos may be taken from, to repair another one or to heal a library. Of several, one that cannot be
/// used is named, and what it holds may be in another.
struct OtherArchives {
  private(set) var sources: [OpenedBackup] = []
  /// Those that cannot be used, each with the reason.
  private(set) var unusable: [Finding] = []
  private(set) var warnings: [String] = []

  /// Those whose photos the password does not open: that these cannot be read is no damage.
  private var locked: Set<FilePath> = []

  /// Returns the archives that are damaged: those that could only be salvaged, and those of which a photo could not be
  /// read, each with the reason.
  ///
  /// - Parameter failing: archives of which a photo could not be read, each with the reason.
  func damaged(_ failing: [FilePath: String]) -> [FilePath: String] {
    let salvaged = sources.compactMap { source in source.salvage.map { (source.path, $0.fault.message) } }
    return failing.filter { !locked.contains($0.key) }.merging(
      salvaged, uniquingKeysWith: { first, _ in first })
  }

  /// - Throws: why the only one cannot be used; `CancellationError`.
  init(_ paths: [FilePath], limits: Limits, password: Secret?, _ counter: ProgressCounter) throws {
    for path in paths {
      do {
        let source = try Self.open(path, limits, password, counter)
        do {
          try source.requirePassword(toRead: .photos)
        } catch let error as BackupError where paths.count > 1 {
          // those that are not encrypted help all the same
          warnings.append("\(error)")
          locked.insert(path)
        }
        sources.append(source)
      } catch let error where paths.count > 1 && !(error is CancellationError) {
        unusable.append(Finding(path.string.escaped, message: "\(error)"))
      }
    }
  }

  /// Opens a backup, or salvages one, or opens an export of photos, which holds files all the same.
  private static func open(
    _ path: FilePath, _ limits: Limits, _ password: Secret?, _ counter: ProgressCounter
  ) throws -> OpenedBackup {
    do {
      return try .salvaging(
        path, limits: limits, password: password, whileReading: { _ in try counter.checkCancellation() })
    } catch BackupError.photoExport(_, let export) {
      return try OpenedBackup(export, at: path, limits: limits, password: password)
    }
  }
}
