import ArchiveCatalog
import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// A photo in a searched archive.
public struct FoundPhoto: Sendable {
  /// The place of the photo's bytes.
  public enum Place: String, Sendable {
    /// In the archive.
    case archive
    /// In the base of the archive or its chain.
    case base
    /// In the app.
    case app
    /// Missing: only the row exists.
    case missing
  }

  /// The archive.
  public var archive: FilePath
  /// When the archive was made; nil if the archive does not record it.
  public var date: Timestamp?
  /// The row.
  package var record: Metadata.PhotoRecord
  /// The label of the photo in messages.
  public var label: String
  /// The original name of the file.
  public var fileName: String
  /// The `name` of the category.
  public var category: String
  /// The length of the file in bytes.
  public var size: Int
  /// The MD5 of the file, nil if the archive does not have it.
  public var md5: MD5Digest?
  /// The place of the photo's bytes.
  public var place: Place
}

/// The result of a search.
public struct FindSummary: Sendable, FindingReport {
  /// The photos, by the order of the archives, oldest first, and in each archive in its order.
  public var photos: [FoundPhoto] = []
  /// The number of searched archives.
  public var archives = 0
  /// Archives that could not be searched, with the reasons.
  public var notSearched: [Finding] = []

  /// Archives that are not encrypted although a password was given.
  public var warnings: [String] = []

  /// What could not be searched.
  public var findings: [Finding] { notSearched }
}

extension Work where Summary == FindSummary {
  /// Starts searching for photos in archives, and in the archives of folders. Writes nothing. Reads photos only if
  /// the search is for an MD5 that an archive does not have.
  ///
  /// The summary lists archives and folders that cannot be opened, for example without a password. Skips files in a
  /// folder that are not backups. The summary throws `BackupError.noSuchBackup` for a missing path, `FileError` if
  /// a folder cannot be listed, or `BackupError.passwordNeeded`, `.wrongPassword` or `.wrongPasswordOrDamaged` if
  /// every archive lacks the password.
  public static func find(
    _ selection: PhotoSelection, in paths: [FilePath], limits: Limits = Limits(), password: Secret? = nil
  ) -> Self {
    Work { counter in
      let opener = BackupOpener(counter: counter, limits: limits, password: password)
      return try FindRun(selection: selection, opener: opener).run(paths)
    }
  }
}

private struct FindRun {
  let selection: PhotoSelection
  let opener: BackupOpener
  private var counter: ProgressCounter { opener.counter }

  func run(_ paths: [FilePath]) throws -> FindSummary {
    // an archive that is given twice, or in a given folder too, counts once
    var known: Set<String> = []
    let archives = try paths.flatMap(candidates).filter {
      known.insert(($0.0.realPath ?? $0.0).string).inserted
    }
    counter.setTotals(items: archives.count, bytes: 0)
    counter.enter(.reading)
    var summary = FindSummary()
    var found: [(archive: ArchiveDescriptor, photos: [FoundPhoto])] = []
    var failures: [any Error] = []
    for (path, isNamed) in archives {
      try counter.checkCancellation()
      counter.advance(current: path.string)
      do {
        found.append(try search(path, &summary.warnings))
        summary.archives += 1
      } catch let error as CancellationError {
        throw error
      } catch {
        if isNamed, case BackupError.noSuchBackup = error { throw error }
        if isNamed || !BackupFiles.isThirdParty(path, error) {
          failures.append(error)
          let finding = Finding(of: path, error, as: "not searched: ")
          // an error of the password is the error of the search if no archive can be decrypted
          if !error.cause.isOfPassword { counter.report(finding) }
          summary.notSearched.append(finding)
        }
      }
      counter.advance(items: 1)
    }
    // no archive can be decrypted
    if summary.archives == 0, let first = failures.first,
      failures.allSatisfy({ $0.cause.isOfPassword })
    {
      throw first
    }
    let photos = Dictionary(
      found.map { ($0.archive.path, $0.photos) }, uniquingKeysWith: { first, _ in first })
    summary.photos = ArchiveGraph(found.map(\.archive)).archives.flatMap { photos[$0.path] ?? [] }
    return summary
  }

  private func hasCompleteChain(of path: FilePath) throws -> Bool {
    do {
      let inventory = try opener.inventory(of: path.folder)
      guard let own = inventory.archives.first(where: { $0.path == path.absolute.string })
      else { return false }
      _ = try inventory.graph.chain(of: own)
      return true
    } catch  where error.cause != .cancelled {
      return false
    }
  }

  private func candidates(_ path: FilePath) throws -> [(FilePath, isNamed: Bool)] {
    guard (try? Directory.open(path)) != nil else { return [(path, true)] }
    return try BackupFiles.list(path).map { ($0.path, false) }
  }

  private func search(
    _ path: FilePath, _ warnings: inout [String]
  ) throws -> (ArchiveDescriptor, [FoundPhoto]) {
    let opened = try opener.open(path)
    warnings += opened.warningsOfPlainEntries
    let source = try selection.md5 == nil ? opened : opened.completingChecksums(counter)
    let matcher = PhotoMatcher(selection, in: source)
    let isAnyInBase = source.photos.contains { $0.isStoredInBase && matcher.matches($0) }
    let hasBase = try isAnyInBase && hasCompleteChain(of: path)
    let categories = Dictionary(
      source.metadata.categories.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    let photos = source.photos.filter(matcher.matches).map { photo in
      let place: FoundPhoto.Place =
        photo.record.isFromAssets
        ? .app : photo.location.size != nil ? .archive : photo.isStoredInBase && hasBase ? .base : .missing
      return FoundPhoto(
        archive: path, date: source.metadata.exportDate, record: photo.record,
        label: "\(source.label(of: photo))", fileName: photo.fileName,
        category: categories[photo.record.categoryId] ?? "",
        size: photo.location.size ?? Int(photo.record.fileSize), md5: photo.location.md5, place: place)
    }
    return (try ArchiveDescriptor(opened), photos)
  }
}
