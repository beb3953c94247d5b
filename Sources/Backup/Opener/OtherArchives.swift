import Operations
import Secrets
import SystemPackage

/// Archives that provide photos to repair another archive or a library. If there are several, an unusable one is
/// reported, because another may have the same photos.
struct OtherArchives {
  private(set) var sources: [OpenedBackup] = []
  /// The unusable archives, with the reasons.
  private(set) var unusable: [Finding] = []
  private(set) var warnings: [String] = []

  /// The archives whose photos the password does not open. Failing to read these photos is not damage.
  private var locked: Set<FilePath> = []

  /// True if every archive was opened with the password that it needs.
  private(set) var areAllReadable = true

  /// Returns the damaged archives with the reasons: those that had to be salvaged, and those with a photo that
  /// could not be read.
  ///
  /// - Parameter failing: archives with a photo that could not be read, with the reasons.
  func damaged(_ failing: [FilePath: String]) -> [FilePath: String] {
    let salvaged = sources.compactMap { source in source.salvage.map { (source.path, $0.fault.message) } }
    return failing.filter { !locked.contains($0.key) }.merging(
      salvaged, uniquingKeysWith: { first, _ in first })
  }

  /// - Parameter areOptional: true if an archive that cannot be used is not reported as an error, even if it is the only one.
  /// - Throws: the error of the archive if it is the only one; `CancellationError`.
  init(
    _ paths: [FilePath], limits: Limits, password: Secret?, areOptional: Bool = false,
    _ counter: ProgressCounter
  ) throws {
    let opener = BackupOpener(
      counter: counter, limits: limits, password: password, salvages: true, photoExports: .opened)
    let isOneOfSeveral = areOptional || paths.count > 1
    for path in paths {
      do {
        let source = try opener.open(path)
        do {
          try source.requirePassword(toRead: .photos)
        } catch let error as BackupError where isOneOfSeveral {
          areAllReadable = false
          // the unencrypted photos of the archive are usable
          warnings.append("\(error)")
          locked.insert(path)
        }
        sources.append(source)
      } catch let error where isOneOfSeveral && !(error is CancellationError) {
        areAllReadable = false
        let finding = Finding(of: path, error)
        if !areOptional { counter.report(finding) }
        unusable.append(finding)
      }
    }
  }
}
