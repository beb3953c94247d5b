import ArchiveCatalog
import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Secrets
import SystemPackage
import Zip

/// A photo in one of the archives that were searched.
public struct FoundPhoto: Sendable {
  /// Where its bytes are.
  public enum Place: String, Sendable {
    /// In the archive.
    case archive
    /// In an archive before this one, on which this one rests.
    case base
    /// In the app.
    case app
    /// Nowhere: the row is all that there is.
    case nowhere
  }

  /// The archive.
  public var archive: FilePath
  /// When it was made, in milliseconds since 1970; nil where it does not say.
  public var date: Int64?
  /// The row.
  package var record: Metadata.PhotoRecord
  /// How messages name it.
  public var label: String
  /// The name that its file had where it came from.
  public var fileName: String
  /// The `name` of its category.
  public var category: String
  /// The length of its file in bytes.
  public var size: Int
  /// The MD5 of its file, nil if the archive says none.
  public var md5: MD5Digest?
  /// Where its bytes are.
  public var place: Place
}

/// What a search found.
public struct FindSummary: Sendable {
  /// By the archives' dates, and in each archive in its order.
  public var photos: [FoundPhoto] = []
  /// How many archives were searched.
  public var archives = 0
  /// Archives that could not be searched; each with the reason.
  public var notSearched: [Finding] = []
}

extension Work where Summary == FindSummary {
  /// Starts looking for photos in archives, and in those that lie in folders. Nothing is written, and no photo is read
  /// unless an MD5 is looked for that an archive does not say.
  ///
  /// Archives and folders that cannot be opened, as for want of a password, stand in the summary; in a folder, files that
  /// are no backups are passed over. The summary throws `BackupError.noSuchBackup` for what is not there, `FileError`
  /// where a folder can be opened and not be listed, or `BackupError.passwordNeeded`, `.wrongPassword` or
  /// `.wrongPasswordOrDamaged` where for want of the password nothing could be searched.
  public static func find(
    _ selection: PhotoSelection, in places: [FilePath], limits: Limits = Limits(), password: Secret? = nil
  ) -> Self {
    Work { counter in
      try FindRun(selection: selection, limits: limits, password: password, counter: counter).run(places)
    }
  }
}

private struct FindRun {
  let selection: PhotoSelection
  let limits: Limits
  let password: Secret?
  let counter: ProgressCounter

  func run(_ places: [FilePath]) throws -> FindSummary {
    // named twice, or in a folder that is named too, it is one
    var known: Set<String> = []
    let archives = try places.flatMap(candidates).filter {
      known.insert(($0.0.realPath ?? $0.0).string).inserted
    }
    counter.setTotals(items: archives.count, bytes: 0)
    counter.enter(.reading)
    var summary = FindSummary()
    var found: [(date: Int64, photos: [FoundPhoto])] = []
    var failures: [any Error] = []
    var inventories: [FilePath: ArchiveInventory] = [:]
    for (path, isNamed) in archives {
      try counter.checkCancellation()
      counter.advance(current: path.string)
      do {
        let (date, photos) = try search(path, &inventories)
        summary.archives += 1
        found.append((date ?? .min, photos))
      } catch let error as CancellationError {
        throw error
      } catch {
        if isNamed, case BackupError.noSuchBackup = error { throw error }
        if isNamed || !BackupFiles.isStranger(path, error) {
          failures.append(error)
          summary.notSearched.append(
            Finding(path.string.escaped, message: "not searched: \(error)"))
        }
      }
      counter.advance(items: 1)
    }
    // nothing was opened, and a password would have
    if summary.archives == 0, let first = failures.first, failures.allSatisfy(Self.isOfPassword) {
      throw first
    }
    // stable, so that archives of one date stay in the order of their names
    let order = found.indices.sorted { (found[$0].date, $0) < (found[$1].date, $1) }
    summary.photos = order.flatMap { found[$0].photos }
    return summary
  }

  private static func isOfPassword(_ error: any Error) -> Bool {
    switch error {
    case BackupError.passwordNeeded, BackupError.wrongPassword, BackupError.wrongPasswordOrDamaged: true
    default: false
    }
  }

  /// - Parameter inventories: those of the folders that were read for this, each once.
  private func isChainThere(of path: FilePath, _ inventories: inout [FilePath: ArchiveInventory]) -> Bool {
    guard
      let inventory = inventories[path.folder]
        ?? (try? ArchiveInventory(folder: path.folder, password: password))
    else { return false }
    inventories[path.folder] = inventory
    let own = inventory.archives.first { $0.path == path.absoluteString }
    return own.map { (try? inventory.chain(of: $0)) != nil } ?? false
  }

  private func candidates(_ place: FilePath) throws -> [(FilePath, isNamed: Bool)] {
    guard (try? Directory.open(place)) != nil else { return [(place, true)] }
    return try BackupFiles.list(place).map { ($0.path, false) }
  }

  private func search(_ path: FilePath, _ inventories: inout [FilePath: ArchiveInventory]) throws -> (
    date: Int64?, [FoundPhoto]
  ) {
    let opened = try OpenedBackup(path: path, limits: limits, password: password)
    let source = try selection.md5 == nil ? opened : opened.completingChecksums(counter)
    let matcher = PhotoMatcher(selection, in: source)
    let isAnyInBase = source.photos.contains { $0.isStoredInBase && matcher.matches($0) }
    let hasBase = isAnyInBase && isChainThere(of: path, &inventories)
    let categories = Dictionary(
      source.metadata.categories.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    let photos = source.photos.filter(matcher.matches).map { photo in
      let place: FoundPhoto.Place =
        photo.record.isFromAssets
        ? .app : photo.location.size != nil ? .archive : photo.isStoredInBase && hasBase ? .base : .nowhere
      return FoundPhoto(
        archive: path, date: source.metadata.exportDate, record: photo.record,
        label: source.label(of: photo), fileName: photo.fileName,
        category: categories[photo.record.categoryId] ?? "",
        size: photo.location.size ?? Int(photo.record.fileSize), md5: photo.location.md5, place: place)
    }
    return (source.metadata.exportDate, photos)
  }
}
