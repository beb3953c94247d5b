import Checksums
import FileSystem
import Foundation
import Gallery
import ImageHeader
import PhotoLibrary
import Pictures
import Synchronization
import SystemPackage

/// Writes a gallery into a folder, or updates it. All functions that read or write files block.
///
/// A reader never sees a part of a gallery. The order of an update: list the new files, flush them under hidden names,
/// rename them, replace the start page, remove files that the new gallery does not have, list the files that remain.
/// Only the start page has the same name in both galleries, and it refers only to files that are complete. Files that
/// are not in the list are neither replaced nor removed. Links are not followed.
final class GalleryFolder: Sendable {
  private static let listName: FilePath = ".smilepile-gallery"
  private static let startPage = FilePath(Gallery.startPage)

  private struct State {
    var list: GalleryFileList
    /// The files that this run writes.
    var claimed: [String: GalleryFileList.Mark] = [:]
    var filesWritten = 0
    var bytesWritten = 0
    /// True as soon as the start page may be the new one.
    var isCommitted = false
  }

  let path: FilePath
  private let target: ExtractTarget
  private let publication: ExtractPublication
  /// The list at the start; nil for a new gallery.
  private let found: GalleryFileList?
  /// The files in the folders of the gallery, whether or not they are listed.
  private let present: Set<String>
  /// The listed files that exist, and have the size in the list.
  private let intact: Set<String>
  private let state: Mutex<State>

  private var root: Directory { _read { yield target.root } }

  /// Opens the folder, or creates it, and removes what an interrupted run left under hidden names. Blocks.
  ///
  /// - Throws: `GalleryFolderError`; `ExtractError` if the path is no folder, is in a library, or another run writes to it;
  ///   `FileError`.
  init(_ path: FilePath, lockWait: Duration = .zero, whileWaiting: () throws -> Void = {}) throws {
    self.path = path
    guard
      let target = try ExtractTarget.open(
        path, forWriting: true, lockWait: lockWait, whileWaiting: whileWaiting)
    else { throw ExtractError.noSuchFolder(path) }
    self.target = target
    publication = ExtractPublication(in: target)
    let names = try Self.names(in: target)
    found = try Self.list(in: target, names)
    let present = Set(try GalleryFile.folders.flatMap { try Self.files(in: $0, of: target) })
    self.present = present
    intact = try Self.intact(found ?? GalleryFileList(), present, in: target)
    state = Mutex(State(list: found ?? GalleryFileList()))
    _ = try digestOfStartPage()
  }

  private static func names(in target: ExtractTarget) throws -> [FilePath] {
    try target.root.names().filter { name in
      guard PartialName.lockedFolder.matches(name) else { return !isLock(name) }
      if target.isLocked { try target.root.remove(name) }
      return false
    }
  }

  /// The files by which `FolderLock` excludes other runs.
  private static func isLock(_ name: FilePath) -> Bool {
    name.string.hasPrefix(".smilepile-") && name.string.hasSuffix(".lock")
  }

  private static func list(in target: ExtractTarget, _ names: [FilePath]) throws -> GalleryFileList? {
    let path = target.root.path(of: listName)
    guard let status = try target.root.status(of: listName) else {
      guard names.isEmpty else { throw GalleryFolderError.notEmpty(target.path) }
      return nil
    }
    guard status.kind == .file,
      let bytes = try target.root.open(listName, .read)
        .contents(atMost: GalleryFileList.mostBytes)
    else { throw GalleryFolderError.invalidList(path, reason: "it is not the list of a gallery") }
    guard let list = try? JSONDecoder().decode(GalleryFileList.self, from: Data(bytes)) else {
      throw GalleryFolderError.invalidList(path, reason: "it is corrupt")
    }
    guard list.version <= GalleryFileList().version else {
      throw GalleryFolderError.invalidList(path, reason: "a newer version of smilepile wrote it")
    }
    return list
  }

  private static func files(in folder: FilePath, of target: ExtractTarget) throws -> [String] {
    guard try target.hasFolder(folder) else { return [] }
    return try target.root.directory(folder).names().map { "\(folder)/\($0)" }
  }

  // MARK: Files

  /// Returns the listed files that no other program has replaced, as far as their kinds and sizes tell.
  private static func intact(
    _ list: GalleryFileList, _ present: Set<String>, in target: ExtractTarget
  ) throws -> Set<String> {
    try list.paths.intersection(present).filter { path in
      guard let status = try target.root.status(of: FilePath(path)), status.kind == .file else {
        return false
      }
      return list.files[path].map { $0.size == status.size } ?? true
    }
  }

  /// Returns true if the gallery has this file already. Such a file is complete.
  func has(_ file: String) -> Bool { intact.contains(file) }

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
      if error.isResourceExhaustion || error.errno == .ioError { throw error }
      return nil
    }
  }

  /// Returns the format of a photo that is in the folder, according to its header; nil if `ImageHeader` does not know
  /// the format. Reads the header only.
  func format(of name: FilePath) throws(FileError) -> ImageHeader.Format? { try header(of: name).format }

  private func header(of name: FilePath) throws(FileError) -> ImageHeader {
    let file = try target.root.open(name, .read)
    return try ImageHeader.read { (offset, count) throws(FileError) in try file.read(count, at: offset) }
  }

  /// Throws `BackupError.notEnoughSpace` if copies of these sizes do not fit.
  func requireSpace(forCopies sizes: [Int]) throws {
    // the overhead of a file and its name in usual file systems
    let needed = sizes.reduce(0) { $0.saturated(plus: $1).saturated(plus: 4096) }
    let free = try target.freeBytes()
    if needed > free { throw BackupError.notEnoughSpace(path, needed: needed, free: free) }
  }

  /// Adds files to the list, before they are written, and makes their folders. Replaces `.smilepile-gallery` durably
  /// unless the list has all of them.
  ///
  /// - Parameter startPage: the MD5 of the start page that will be written; nil if it is not known yet.
  /// - Throws: `GalleryFolderError.unknownFile` if a file that is not in the list has one of the names, and nothing has
  ///   changed then; `ExtractError.notAFolder` if a file or a link has the name of a folder; `FileError`.
  func list(_ files: Set<String>, startPage: MD5Digest? = nil) throws {
    let old = state.withLock { $0.list }
    var new = old
    // a file that is missing, or was removed by another program, may be written with other bytes
    let rewritten = files.subtracting(intact)
    for file in rewritten { new.files[file] = nil }
    new.unfinished.formUnion(rewritten)
    if let startPage, !new.startPages.contains("\(startPage)") { new.startPages.append("\(startPage)") }
    if let taken = files.intersection(present).subtracting(intact).min() {
      throw GalleryFolderError.unknownFile(root.path(of: FilePath(taken)))
    }
    if new != old { try write(new) }
    for folder in Set(files.map { FilePath($0).removingLastComponent() }).sorted(by: { $0.string < $1.string }
    ) {
      try target.makeFolder(folder)
    }
    try target.sync()
  }

  /// Writes a file of mode 0600. Any thread may call this. `publishFiles` publishes it at the latest.
  ///
  /// - Throws: what `publish` throws; `FileError`. The hidden file is removed then.
  func write(_ bytes: [UInt8], to file: String) throws {
    let hidden = hiddenName()
    do {
      try create(hidden, for: FilePath(file)).write(bytes, at: 0)
    } catch {
      _ = try? root.remove(hidden)
      throw error
    }
    try publish(hidden, as: file, FileContent(md5: MD5Digest(hashing: bytes), size: bytes.count))
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
  /// the rest. Removes the hidden file if this run has written the same file already, or if another thread writes it.
  ///
  /// - Throws: `GalleryFolderError.unknownFile` if a folder or a link has the name; `FileError` if a batch cannot be
  ///   published. The hidden files of that batch that were not renamed are removed then, and later batches fail with
  ///   the same error.
  func publish(_ hidden: FilePath, as file: String, _ content: FileContent) throws {
    let isFirst = state.withLock { state in
      guard state.claimed[file] == nil else { return false }
      state.claimed[file] = GalleryFileList.Mark(content)
      state.filesWritten += 1
      state.bytesWritten = state.bytesWritten.saturated(plus: content.size)
      return true
    }
    guard isFirst else { return remove(hidden) }
    let name = FilePath(file)
    if intact.contains(file), try !isOwn(file, found?.files[file]) {
      remove(hidden)
      throw GalleryFolderError.unknownFile(root.path(of: name))
    }
    try publication.add(
      ExtractPublication.Photo(
        index: 0, folder: name.removingLastComponent(), hidden: hidden, name: name, size: content.size,
        replaces: intact.contains(file)))
  }

  /// Publishes all files that were written, and makes their names durable.
  ///
  /// - Throws: `GalleryFolderError.unknownFile` if another program created a file with the name of one of them
  ///   meanwhile; `FileError`. Files that were published before the error stay until `rollBack`.
  func publishFiles() throws {
    guard !state.withLock({ $0.claimed.isEmpty }) else { return }
    if let taken = try publication.finish().taken.first {
      throw GalleryFolderError.unknownFile(root.path(of: taken.name))
    }
  }

  /// The files and bytes that this run has written.
  var written: (files: Int, bytes: Int) { state.withLock { ($0.filesWritten, $0.bytesWritten) } }

  // MARK: The start page

  /// Returns the MD5 of the start page; nil if it is missing.
  ///
  /// - Throws: `GalleryFolderError.unknownFile` if this program did not write it.
  private func digestOfStartPage() throws -> MD5Digest? {
    guard let status = try root.status(of: Self.startPage) else { return nil }
    if status.kind == .file {
      let digest = try MD5Digest.ofFile(root.open(Self.startPage, .read)).digest
      if state.withLock({ $0.list.startPages.contains("\(digest)") }) { return digest }
    }
    throw GalleryFolderError.unknownFile(root.path(of: Self.startPage))
  }

  /// Replaces the start page, which commits the new gallery, and removes the files that the new gallery does not have.
  ///
  /// The commit is the rename of the start page. `rollBack` does nothing from the moment before that rename, since the
  /// start page may refer to the new files then. If this function throws from that moment on, files of both galleries
  /// may remain; all are in the list, and the next run continues.
  ///
  /// - Parameter files: all files of the new gallery except the start page. They must be published.
  /// - Returns: the number of removed files of the earlier gallery, and the files that another program has changed, which stay.
  /// - Throws: `GalleryFolderError.unknownFile` if another program has changed the start page, which is not replaced
  ///   then; `FileError`.
  func commit(_ page: [UInt8], _ files: Set<String>) throws -> (removed: Int, changed: [FilePath]) {
    let digest = MD5Digest(hashing: page)
    if try digestOfStartPage() != digest {
      try list([], startPage: digest)
      state.withLock {
        $0.filesWritten += 1
        $0.bytesWritten += page.count
      }
      try replace(Self.startPage, with: page) { state.withLock { $0.isCommitted = true } }
    }
    state.withLock { $0.isCommitted = true }
    var list = GalleryFileList()
    list.startPages = ["\(digest)"]
    for file in files { list.files[file] = try mark(of: file) }
    let old = state.withLock { $0.list }
    let result = try remove(old.paths.subtracting(files), keeping: files)
    if list != old { try write(list) }
    return result
  }

  /// Returns what the list should have about a file that this run has written or found.
  private func mark(of file: String) throws -> GalleryFileList.Mark {
    if let mark = state.withLock({ $0.claimed[file] }) ?? found?.files[file] { return mark }
    // an interrupted run has written it
    return GalleryFileList.Mark(try content(of: file))
  }

  private func content(of file: String) throws -> FileContent {
    let (digest, size) = try MD5Digest.ofFile(root.open(FilePath(file), .read))
    return FileContent(md5: digest, size: size)
  }

  /// Removes files of the gallery that have the bytes in the list, and the folders in which none remains.
  private func remove(
    _ files: Set<String>, keeping kept: Set<String>
  ) throws -> (removed: Int, changed: [FilePath]) {
    var result: (removed: Int, changed: [FilePath]) = (0, [])
    for file in files.sorted() where try root.status(of: FilePath(file)) != nil {
      if try isOwn(file, state.withLock { $0.claimed[file] ?? $0.list.files[file] }) {
        if try root.remove(FilePath(file)), present.contains(file) { result.removed += 1 }
      } else {
        result.changed.append(root.path(of: FilePath(file)))
      }
    }
    let used = Set(kept.map { FilePath($0).removingLastComponent() })
    for folder in GalleryFile.folders where !used.contains(folder) || result.removed > 0 {
      try removeIfEmpty(folder)
    }
    if !files.isEmpty { try target.sync() }
    return result
  }

  /// Returns true if a file has the bytes of its mark; without a mark, if it is a file.
  private func isOwn(_ file: String, _ mark: GalleryFileList.Mark?) throws -> Bool {
    guard try root.status(of: FilePath(file))?.kind == .file else { return false }
    return try mark.map { try GalleryFileList.Mark(content(of: file)) == $0 } ?? true
  }

  private func removeIfEmpty(_ folder: FilePath) throws {
    guard try root.status(of: folder)?.kind == .directory else { return }
    guard try root.directory(folder).names().isEmpty else { return try root.directory(folder).sync() }
    try root.removeDirectory(folder)
  }

  // MARK: Failures

  /// Removes the files that this run has published, unless the new gallery is committed. An error is ignored: the next
  /// run knows the files from the list.
  func rollBack() {
    _ = try? publication.finish()
    let (list, isCommitted, claimed) = state.withLock { ($0.list, $0.isCommitted, $0.claimed) }
    let old = found?.paths ?? []
    guard !isCommitted, list != found, (try? remove(Set(claimed.keys).subtracting(old), keeping: old)) != nil
    else { return }
    guard var restored = found else {
      _ = try? root.remove(Self.listName)
      return
    }
    // files that were missing have their new bytes
    for (file, mark) in claimed where old.contains(file) {
      restored.unfinished.remove(file)
      restored.files[file] = mark
    }
    try? write(restored)
  }

  /// Publishes what is complete, so that the next run continues.
  func keepFiles() { _ = try? publication.finish() }

  // MARK: Writing

  private func write(_ list: GalleryFileList) throws {
    let document = try list.document
    guard document.count <= GalleryFileList.mostBytes else { throw GalleryFolderError.tooManyFiles(path) }
    try replace(Self.listName, with: document)
    state.withLock { $0.list = list }
  }

  /// Replaces a file of the folder itself in one step, and makes it durable.
  ///
  /// - Parameter willReplace: called before the name may refer to the new file.
  private func replace(_ name: FilePath, with bytes: [UInt8], willReplace: () -> Void = {}) throws {
    let hidden = PartialName.lockedFolder.random()
    do {
      let file = try create(hidden, for: name)
      try file.write(bytes, at: 0)
      try file.sync()
      willReplace()
      try root.replace(name, with: hidden)
    } catch {
      _ = try? root.remove(hidden)
      throw error
    }
    try target.sync()
  }
}
