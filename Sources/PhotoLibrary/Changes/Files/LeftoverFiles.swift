import Checksums
import FileSystem
import Glibc
import Operations
import Synchronization
import SystemPackage

/// The staged files of interrupted operations. The next import uses them instead of copying the same bytes again.
///
/// A leftover file is identified by its content, and is read for this. Its name and its date prove nothing: an
/// interruption truncates files, and after a power failure a file that was not flushed may have any content. So it does
/// not matter which operation staged the file, from which backup, and in which order. A change that uses a file moves it
/// to its own staging folder, and flushes it before the commit like every other staged file.
///
/// Only the holder of `library.lock` uses or removes leftover files. Files of operations with pending moves are not
/// leftover files: recovery still needs them.
package final class LeftoverFiles: Sendable {
  /// What a writer does with the leftover files when it opens the library.
  package enum Treatment: Sendable {
    /// Removes them.
    case remove
    /// Keeps them for its changes. It removes the remaining ones after its last change.
    case keep
    /// Leaves them, and everything else that interrupted operations left, until `LibraryWriter.recover` is
    /// called.
    case postpone
  }

  private struct State {
    /// The paths of the files that were not read, by their sizes.
    var unread: [Int: [FilePath]] = [:]
    /// The files that were read, by their contents.
    var verified: [FileContent: [(path: FilePath, version: FileStatus.Version)]] = [:]
  }

  private let library: Library
  private let folders = PhotoFolders()
  private let state = Mutex(State())

  init(in library: Library) { self.library = library }

  /// Lists the files. Skips files that other programs or users may change: those of other owners, and those with a
  /// second name. Skips a folder that cannot be listed.
  func collect() throws {
    let user = geteuid()
    var found = State()
    for operation in try operations() {
      for file in (try? StagingFolder.files(of: operation, in: library)) ?? []
      where file.status.owner == user && file.status.linkCount == 1 {
        found.unread[file.status.size, default: []].append(file.path)
      }
    }
    state.withLock { $0 = found }
  }

  /// The interrupted operations that need none of their staged files.
  private func operations() throws -> [String] {
    let pending = try library.read(FileMove.operations)
    return try StagingFolder.operations(in: library).filter { !pending.contains($0) }
  }

  /// Reads and hashes the files whose size one of the contents has. Blocks.
  ///
  /// - Throws: `CancellationError`, or `FileError` if the process lacks memory or open files.
  func verify(_ contents: [FileContent], _ counter: ProgressCounter) throws {
    let paths = state.withLock { state in
      guard !state.unread.isEmpty else { return [FilePath]() }
      return Set(contents.map(\.size)).flatMap { state.unread.removeValue(forKey: $0) ?? [] }
    }
    guard !paths.isEmpty else { return }
    counter.enter(.verifying)
    let library = library
    try ParallelHashing.read(0..<paths.count, Readers(on: library.identity), context: {}) { index, _ in
      let path = paths[index]
      return HashedFile(
        opening: { () throws(FileError) in try library.root.open(path, .read) },
        whileReading: { _ in try counter.checkCancellation() },
        { result in
          guard case .success((let digest, let status)) = result else { return }
          let content = FileContent(md5: digest, size: status.size)
          self.state.withLock { $0.verified[content, default: []].append((path, status.version)) }
        })
    }
  }

  /// The bytes of these contents that verified files have. Each file counts once.
  func verifiedBytes(of contents: [FileContent]) -> Int {
    state.withLock { state in
      guard !state.verified.isEmpty else { return 0 }
      return Dictionary(contents.map { ($0, 1) }, uniquingKeysWith: +).saturatedSum { item in
        item.key.size.saturated(times: min(item.value, state.verified[item.key]?.count ?? 0))
      }
    }
  }

  /// Moves a verified file to a folder, and sets its date. Any thread. Skips a file that
  /// changed since it was read, or that cannot be moved.
  ///
  /// - Returns: false if there is no such file.
  func take(
    _ content: FileContent, to folder: borrowing Directory, as name: FilePath, modified: Timestamp
  ) -> Bool {
    while let found = state.withLock({ $0.verified[content]?.popLast() }) {
      let isMoved = try? folders.inFolder(of: found.path.string, in: library.root) {
        (source, old) throws(FileError) -> Bool in
        let file = try source.open(old, .read)
        let status = try file.status()
        guard status.version == found.version else { return false }
        if status.modified != modified { try file.setModified(modified) }
        try source.rename(old, to: folder, as: name)
        return true
      }
      if isMoved == true { return true }
    }
    return false
  }

  /// Removes all files except verified ones with these contents. A failure is ignored: the next writer removes them.
  func remove(except contents: [FileContent]) {
    let kept = Set(contents)
    let removed = state.withLock { state in
      let verified = state.verified.filter { !kept.contains($0.key) }.values.joined().map(\.path)
      state.verified = state.verified.filter { kept.contains($0.key) }
      defer { state.unread = [:] }
      return verified + state.unread.values.joined()
    }
    for path in removed { _ = try? library.root.remove(path) }
  }

  /// Removes all files, and the staging folders that contain them. No change may be in progress. A failure is ignored:
  /// the next writer removes them.
  package func removeAll() {
    state.withLock { $0 = State() }
    for operation in (try? operations()) ?? [] {
      _ = try? StagingFolder.remove(operation, from: library.root)
    }
  }
}

extension Library {
  /// Returns the number of staged files and their bytes: those of an operation that another process runs, or of one
  /// that was interrupted. Blocks.
  public func stagedFiles() throws -> (count: Int, bytes: Int) {
    let files = try StagingFolder.operations(in: self).flatMap { try StagingFolder.files(of: $0, in: self) }
    return (files.count, files.saturatedSum(\.status.size))
  }

  /// Checks the space for a dry run. The change would reuse or remove the staged files of interrupted operations, so
  /// their bytes count as free.
  package func requireSpaceBeforeChange(_ bytes: Int) throws {
    try requireSpace(max(0, bytes - stagedFiles().bytes))
  }
}
