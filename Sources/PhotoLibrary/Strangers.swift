import FileSystem
internal import GRDB
import SystemPackage

extension Library {
  /// The files and folders in the library that neither a row nor this program knows, as paths in the library.
  /// They are never touched: a person put them there.
  public func strangers() throws -> [FilePath] {
    // compared as paths, byte by byte: to a String, two normal forms of a name are one
    let (stored, replaced) = try read { database in
      (
        Set(
          try String.fetchAll(database, sql: "SELECT path FROM photo WHERE NOT isFromAssets")
            .map { FilePath($0) }),
        try Photo.fetchAll(
          database, sql: "SELECT \(Photo.columns(database)) FROM replacedPhoto WHERE NOT isFromAssets")
      )
    }
    // of what cannot be read nobody knows that it is a stranger's
    let waiting = replaced.filter { (try? isUntouched($0)) ?? true }.map { FilePath($0.path) }
    let known = try stored.union(inJournals()).union(waiting)
    let own: Set<FilePath> = [
      Self.databaseName, "library.sqlite-wal", "library.sqlite-shm", "library.lock", "readers.lock",
      Staging.folder, LibraryWriter.undoFolder, Healing.rottenFolder, "photos",
    ]
    var found = try root.names().filter { !own.contains($0) }
    try collect("photos", known, &found)
    try collectForeign(Staging.folder, &found)
    try collectForeign(LibraryWriter.undoFolder, &found)
    return found
  }

  /// The places of a change's files that was cut short: the next writer sees to them.
  private func inJournals() throws -> Set<FilePath> {
    guard try root.status(of: Staging.folder)?.kind == .directory else { return [] }
    var paths: Set<FilePath> = []
    for name in try root.directory(Staging.folder).names() where Staging.isChange(name) {
      let folder = Staging.folder.appending(name.components)
      let journal: Staging.Journal? = try? Staging.journal(.change, in: folder, of: self)
      paths.formUnion(journal?.files.map { FilePath($0.path) } ?? [])
    }
    return paths
  }

  /// What lies in a working folder and is none of a change's files.
  private func collectForeign(_ folder: FilePath, _ found: inout [FilePath]) throws {
    guard try root.status(of: folder)?.kind == .directory else { return }
    for name in try root.directory(folder).names() {
      let path = folder.appending(name.components)
      guard Staging.isChange(name), try root.status(of: path)?.kind == .directory else {
        found.append(path)
        continue
      }
      let inner = try root.directory(path)
      for name in try inner.names() {
        guard Staging.isOwn(name) else {
          found.append(path.appending(name.components))
          continue
        }
        guard try inner.status(of: name)?.kind == .directory else { continue }
        if folder == Staging.folder, Staging.isNumber(name) {
          found += try inner.directory(name).names().filter { !Staging.isStaged($0) }
            .map { path.appending(name.components).appending($0.components) }
        } else {
          found.append(path.appending(name.components))
        }
      }
    }
  }

  private func collect(_ folder: FilePath, _ known: Set<FilePath>, _ found: inout [FilePath]) throws {
    guard try root.status(of: folder)?.kind == .directory else { return }
    let directory = try root.directory(folder)
    for name in try directory.names() {
      let path = folder.appending(name.components)
      if try directory.status(of: name)?.kind == .directory {
        try collect(path, known, &found)
      } else if !known.contains(path) {
        found.append(path)
      }
    }
  }
}
