import FileSystem
import Gallery
import ImageHeader
import PhotoLibrary
import Synchronization
import SystemPackage

/// Writes a gallery into a folder, or updates it. The folder has only files of the gallery. All functions that read or
/// write files block.
///
/// A reader never sees a part of a gallery. The order of an update: write the new files under hidden names, flush and
/// rename them, replace the start page, remove the files that the new gallery does not have. Only the start page has the
/// same name in both galleries, and it refers only to files that are complete. Links are not followed.
final class GalleryFolder: Sendable {
  let path: FilePath
  private let target: ExtractTarget
  private let publication: ExtractPublication
  /// The paths of the gallery's files at the start, without the start page.
  private let present: Set<String>
  private let counts = Mutex((files: 0, bytes: 0))

  private var root: Directory { _read { yield target.root } }

  /// Opens the folder, or creates it, and removes what an interrupted run left under hidden names. Blocks.
  ///
  /// - Throws: `GalleryFolderError.unknownFile` if the folder has a name that no gallery has; nothing has changed
  ///   then. `ExtractError` if the path is no folder, is in a library, or another run writes to it; `FileError`.
  init(_ path: FilePath, lockWait: Duration = .zero, whileWaiting: () throws -> Void = {}) throws {
    self.path = path
    guard
      let target = try ExtractTarget.open(
        path, forWriting: true, lockWait: lockWait, whileWaiting: whileWaiting)
    else { throw ExtractError.noSuchFolder(path) }
    self.target = target
    publication = ExtractPublication(in: target)
    let names = try target.root.names()
    for name in names where try !Self.isOwn(name, in: target) {
      throw GalleryFolderError.unknownFile(target.root.path(of: name))
    }
    present = Set(try GalleryFile.folders.flatMap { try Self.files(in: $0, of: target) })
    guard target.isLocked else { return }
    for name in names where PartialName.lockedFolder.matches(name) { try target.root.remove(name) }
  }

  /// Returns true if a gallery has this name in its folder. Those of a gallery's folders are checked by `files`.
  private static func isOwn(_ name: FilePath, in target: ExtractTarget) throws -> Bool {
    if GalleryFile.folders.contains(name) { return try target.hasFolder(name) }
    guard try target.root.status(of: name)?.kind == .file else { return false }
    guard name == GalleryFile.startPage else { return GalleryFile.isName(name) }
    return Gallery.isStartPage(try target.root.open(name, .read).read(Gallery.headBytes, at: 0))
  }

  /// Returns the paths of the files in a folder of the gallery, except empty ones.
  ///
  /// - Throws: `GalleryFolderError.unknownFile` for the first name that no gallery has.
  private static func files(in folder: FilePath, of target: ExtractTarget) throws -> [String] {
    guard try target.hasFolder(folder) else { return [] }
    let directory = try target.root.directory(folder)
    return try directory.names().compactMap { name in
      guard GalleryFile.isName(name, in: folder), let status = try directory.status(of: name),
        status.kind == .file
      else { throw GalleryFolderError.unknownFile(directory.path(of: name)) }
      // a power cut or another program can empty a file
      return status.size > 0 ? "\(folder)/\(name)" : nil
    }
  }

  // MARK: Files

  /// Returns true if the gallery had this file at the start. Such a file is complete.
  func has(_ file: String) -> Bool { present.contains(file) }

  /// Returns the dimensions of a thumbnail that the gallery has already; nil if it is missing, cannot be opened, or is
  /// not a JPEG. Reads its header only.
  ///
  /// - Throws: `FileError` if the process or the system lacks a resource, or if the disk reports an error (EIO).
  func dimensions(of file: String) throws(FileError) -> (width: Int, height: Int)? {
    guard has(file) else { return nil }
    do throws(FileError) {
      let header = try header(of: FilePath(file))
      return header.format == .jpeg && header.width > 0 ? (header.width, header.height) : nil
    } catch {
      if error.cause == .environment || error.errno == .ioError { throw error }
      return nil
    }
  }

  /// Returns the format of a photo that is in the folder, according to its header; nil if `ImageHeader` does not know
  /// the format. Reads the header only.
  func format(of name: FilePath) throws(FileError) -> ImageHeader.Format? { try header(of: name).format }

  private func header(of name: FilePath) throws(FileError) -> ImageHeader {
    try ImageHeader.read(from: target.root.open(name, .read))
  }

  /// Throws `BackupError.notEnoughSpace` if copies of these sizes do not fit.
  func requireSpace(forCopies sizes: [Int]) throws {
    // the overhead of a file and its name in usual file systems
    let needed = sizes.reduce(0) { $0.saturated(plus: $1).saturated(plus: 4096) }
    try target.root.fileSystem().requireSpace(needed, margin: 0) {
      BackupError.notEnoughSpace(path, needed: $0, free: $1)
    }
  }

  /// Makes the folders of the gallery. `commit` and `discard` remove the empty ones.
  func makeFolders() throws {
    for folder in GalleryFile.folders { try target.makeFolder(folder) }
    try target.root.sync()
  }

  /// Writes a file of mode 0600. Any thread may call this. `publishFiles` publishes it at the latest.
  ///
  /// - Throws: what `publish` throws; `FileError`. The hidden file is removed then.
  func write(_ bytes: [UInt8], to file: String) throws {
    let hidden = hiddenName()
    do {
      try create(hidden, for: FilePath(file)).write(bytes, at: 0)
    } catch {
      remove(hidden)
      throw error
    }
    try publish(hidden, as: file, size: bytes.count)
  }

  /// Returns a name for a file that is not complete.
  func hiddenName() -> FilePath { PartialName.lockedFolder.random() }

  /// Creates a file of mode 0600 under a hidden name. The caller publishes it under its own name, which messages have, or
  /// removes it.
  ///
  /// - Throws: `FileError`, for example if the folder of the hidden name does not exist.
  func create(_ hidden: FilePath, for file: FilePath) throws -> File {
    try root.open(hidden, .create, for: file)
  }

  /// Opens a file under a hidden name for reading.
  ///
  /// - Throws: `FileError`.
  func open(_ hidden: FilePath) throws -> File { try root.open(hidden, .read) }

  /// Removes a file under a hidden name, if it was not published.
  func remove(_ hidden: FilePath) { _ = try? root.remove(hidden) }

  /// Publishes a file that is complete under its hidden name. Any thread may call this. Flushes and renames up to 256
  /// files together: the call that completes such a batch blocks until they are flushed, and `publishFiles` publishes
  /// the rest. Replaces a file of the same name, which belongs to the same content.
  ///
  /// - Throws: `FileError` if a batch cannot be published. The hidden files of that batch that were not renamed are
  ///   removed then, and later batches fail with the same error.
  func publish(_ hidden: FilePath, as file: String, size: Int) throws {
    count(size)
    try publication.add(
      ExtractPublication.Photo(
        index: 0, hidden: hidden, name: FilePath(file), size: size, replaces: true))
  }

  private func count(_ bytes: Int) {
    counts.withLock { $0 = ($0.files + 1, $0.bytes.saturated(plus: bytes)) }
  }

  /// Publishes all files that were written, and makes their names durable.
  ///
  /// - Throws: `FileError`. Files that were published before the error stay.
  func publishFiles() throws { _ = try publication.finish() }

  /// The files and bytes that this run has written.
  var written: (files: Int, bytes: Int) { counts.withLock { $0 } }

  // MARK: Commit

  /// Replaces the start page, which commits the new gallery. Does not write a page that the folder has already.
  ///
  /// - Throws: `FileError`. The start page may be the new one then.
  func commit(_ page: [UInt8]) throws {
    let name = GalleryFile.startPage
    if try root.status(of: name)?.size == page.count,
      try root.open(name, .read).read(page.count, at: 0) == page
    {
      return
    }
    count(page.count)
    let hidden = hiddenName()
    do {
      let file = try create(hidden, for: name)
      try file.write(page, at: 0)
      try file.sync()
      try root.replace(name, with: hidden)
    } catch {
      remove(hidden)
      throw error
    }
    try target.root.sync()
  }

  /// Removes the files of the gallery, except these and the start page, and the folders in which none remains. Keeps
  /// other files that were created meanwhile.
  ///
  /// - Returns: the number of removed files that the gallery had at the start.
  func removeFiles(except kept: Set<String>) throws -> Int {
    var removed = 0
    var isChanged = try root.remove(GalleryFile.list)
    for folder in GalleryFile.folders where try target.hasFolder(folder) {
      let directory = try root.directory(folder)
      var count = 0
      let names = try directory.names()
      for name in names where GalleryFile.isName(name, in: folder) && !kept.contains("\(folder)/\(name)") {
        guard try directory.remove(name) else { continue }
        count += 1
        if present.contains("\(folder)/\(name)") { removed += 1 }
      }
      if count == names.count {
        isChanged = try root.remove(folder, isDirectory: true) || isChanged
      } else if count > 0 {
        try directory.sync()
      }
    }
    if isChanged { try target.root.sync() }
    return removed
  }

  // MARK: Failures

  /// Removes the files that this run has added. An error is ignored: the next run uses or removes the rest.
  func discard() {
    _ = try? publication.finish()
    _ = try? removeFiles(except: present)
  }
}
