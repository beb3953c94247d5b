import Checksums
import Operations
import PhotoLibrary
import SystemPackage

/// Maps the photos of a backup to files: a pure function of the backup and the selection.
///
/// The names do not depend on the selection and are the same in every run. So an interrupted run can be continued,
/// and a photo that is extracted alone gets the same path as among the others.
struct ExtractPlan: Sendable {
  /// A photo that becomes a file.
  struct Item: Sendable {
    /// The index of the photo in the backup.
    var source: Int
    /// The index of the folder in `folders`.
    var folder: Int
    /// The file's name, safe and unique in its folder.
    var name: String
    /// The length in bytes.
    var size: Int
    /// The MD5, nil if the backup does not have it.
    var md5: MD5Digest?
    /// The date of the file.
    var modified: Timestamp
  }

  /// The names of the categories' folders.
  private(set) var folders: [String] = []
  /// The photos that become files, in the backup's order.
  private(set) var items: [Item] = []
  /// The selected photos that become no files, by their indices in the backup.
  private(set) var withoutFile: [Int] = []
  /// The selected photos that are missing or corrupt in the backup.
  private(set) var faults: [Finding] = []
  /// The number of selected photos that ship inside the app.
  private(set) var assets = 0

  /// The bytes of all files.
  var bytes: Int { items.saturatedSum(\.size) }

  /// Returns the path of a photo in the target.
  func path(of item: Item) -> FilePath { FilePath(folders[item.folder]).appending(item.name) }

  /// - Throws: `ExtractError` if a condition of the selection matches nothing.
  init(_ backup: OpenedBackup, _ selection: PhotoSelection) throws {
    for name in selection.categories where backup.metadata.categories(named: name).isEmpty {
      throw ExtractError.noSuchCategory(backup.path, name)
    }
    let places = Places(backup)
    folders = places.folders
    let matcher = PhotoMatcher(selection, in: backup)
    let patterns = selection.names.map(NamePattern.init)
    var isMet = patterns.map { _ in false }
    for (index, photo) in backup.photos.enumerated() where matcher.matches(photo) {
      for pattern in patterns.indices where !isMet[pattern] {
        isMet[pattern] = PhotoMatcher.matches(patterns[pattern], photo)
      }
      switch photo.location {
      case .asset:
        assets += 1
        withoutFile.append(index)
      case .unavailable(let unavailable):
        withoutFile.append(index)
        faults.append(Finding(backup.label(of: photo), unavailable.reason))
      case .entry(let reference):
        add(index, photo, size: reference.entry.size, md5: reference.md5, at: places, in: backup)
      case .file(_, let size, let md5):
        add(index, photo, size: size, md5: md5, at: places, in: backup)
      }
    }
    if let unmet = isMet.firstIndex(of: false) {
      throw ExtractError.noSuchPhoto(backup.path, selection.names[unmet])
    }
  }

  private mutating func add(
    _ index: Int, _ photo: OpenedBackup.Photo, size: Int, md5: MD5Digest?, at places: Places,
    in backup: OpenedBackup
  ) {
    guard let folder = places.folderOf[photo.record.categoryId] else { return }
    items.append(
      Item(
        source: index, folder: folder, name: places.names[index], size: size, md5: md5,
        modified: photo.record.createdAt))
    // the photo is extracted, since it may still be worth seeing; every run reports the damage
    if let expected = photo.originalMD5 {
      faults.append(
        Finding(
          backup.label(of: photo),
          "it was already damaged when the backup was made (its MD5 should be \(expected))"))
    }
  }

  /// The path of every photo of the backup.
  private struct Places {
    var folders: [String] = []
    var folderOf: [Int64: Int] = [:]
    /// The name of each photo's file; empty for a photo that ships inside the app.
    var names: [String]

    init(_ backup: OpenedBackup) {
      var folderNames = UniqueNames(ofFolders: true)
      for category in backup.metadata.categories {
        let name = category.displayName.isEmpty ? category.name : category.displayName
        folderOf[category.id] = folders.count
        folders.append(folderNames.next(name.isEmpty ? "category" : name))
      }
      var inFolder = folders.map { _ in UniqueNames() }
      names = []
      names.reserveCapacity(backup.photos.count)
      for photo in backup.photos {
        guard !photo.record.isFromAssets, let folder = folderOf[photo.record.categoryId] else {
          names.append("")
          continue
        }
        names.append(inFolder[folder].next(photo.fileName))
      }
    }
  }
}
