import FileSystem
import SystemPackage

/// What lies in a library's folders, each listed once: for many photos that is quicker than to ask for each.
struct ListedFolders {
  /// So many photos are worth a listing.
  static let worthwhile = 32

  private var names: [Substring: Set<String>] = [:]

  /// Whether something lies at a path in the library.
  mutating func hold(_ path: String, in root: borrowing Directory) throws(FileError) -> Bool {
    let (folder, name) = path.folderAndName
    if folder.isEmpty { return try root.status(of: FilePath(path)) != nil }
    if let known = names[folder] { return known.contains(String(name)) }
    var found: Set<String> = []
    do {
      found = Set(try root.directory(FilePath(String(folder))).names().map(\.string))
    } catch {
      guard error.isAbsence else { throw error }
    }
    names[folder] = found
    return found.contains(String(name))
  }
}
