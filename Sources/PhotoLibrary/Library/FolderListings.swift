import FileSystem
import SystemPackage

/// The names in a library's folders. Each folder is listed once, which is faster than a status for each of many photos.
struct FolderListings {
  /// The number of photos from which listing is faster.
  static let minimumPhotos = 32

  private var names: [Substring: Set<String>] = [:]

  /// Returns true if a file exists at a path in the library.
  mutating func contain(_ path: String, in root: borrowing Directory) throws(FileError) -> Bool {
    let (folder, name) = path.folderAndName
    if folder.isEmpty { return try root.status(of: FilePath(path)) != nil }
    if let known = names[folder] { return known.contains(String(name)) }
    var found: Set<String> = []
    do {
      found = Set(try root.directory(FilePath(String(folder))).names().map(\.string))
    } catch {
      guard error.isMissing else { throw error }
    }
    names[folder] = found
    return found.contains(String(name))
  }
}
