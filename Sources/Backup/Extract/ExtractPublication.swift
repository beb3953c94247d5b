import FileSystem
import Synchronization
import SystemPackage

/// Publishes photos atomically: makes photos durable under hidden names, then renames them. Flushes many photos at
/// once, since that costs the disk little more than one.
///
/// A crash leaves hidden files, which the next run removes, and never a truncated photo under a photo's name,
/// because a photo is flushed before it is renamed.
final class ExtractPublication: Sendable {
  /// A photo under its hidden name.
  struct Photo: Sendable {
    /// The index of the photo in the plan's items.
    var index: Int
    /// The path in the target while the photo is not published.
    var hidden: FilePath
    /// The path in the target.
    var name: FilePath
    var size: Int
    /// True if the photo replaces an existing file.
    var replaces: Bool
  }

  /// The numbers of files and bytes that are flushed together.
  private static let mostFiles = 256
  static let mostBytes = 256 << 20

  private struct Progress {
    var published: [Photo] = []
    /// The photos whose names another process took in the meantime.
    var taken: [Photo] = []
    /// The first error. The system reports lost data only once, so all pending photos are suspect after a failed
    /// flush.
    var failure: (any Error)?
  }

  let target: ExtractTarget
  private let pending = Mutex((photos: [Photo](), bytes: 0))
  private let progress = Mutex(Progress())

  init(in target: ExtractTarget) { self.target = target }

  /// Adds a photo that has been written and checked. Callable from any thread.
  func add(_ photo: Photo) throws {
    let batch = pending.withLock { pending -> [Photo] in
      pending.photos.append(photo)
      pending.bytes += photo.size
      guard pending.photos.count >= Self.mostFiles || pending.bytes >= Self.mostBytes else { return [] }
      defer { pending = ([], 0) }
      return pending.photos
    }
    if !batch.isEmpty { try publish(batch) }
  }

  /// Publishes the pending photos, and makes the names durable.
  ///
  /// - Returns: the published photos, and those whose names another process took in the meantime.
  func finish() throws -> (published: [Photo], taken: [Photo]) {
    let rest = pending.withLock { pending in
      defer { pending = ([], 0) }
      return pending.photos
    }
    if !rest.isEmpty { try publish(rest) }
    let (published, taken) = progress.withLock { ($0.published, $0.taken) }
    for folder in Set(published.map { $0.name.removingLastComponent() }) {
      try target.root.directory(folder).sync()
    }
    try target.root.sync()
    return (published, taken)
  }

  private func publish(_ batch: [Photo]) throws {
    try progress.withLock { progress in
      var left = batch[...]
      do {
        if let failure = progress.failure { throw failure }
        try flush(batch)
        while let photo = left.first {
          if try rename(photo) {
            progress.published.append(photo)
          } else {
            progress.taken.append(photo)
          }
          left.removeFirst()
        }
      } catch {
        progress.failure = progress.failure ?? error
        for photo in left { _ = try? target.root.remove(photo.hidden) }
        throw error
      }
    }
  }

  private func flush(_ batch: [Photo]) throws {
    // the target was opened before the files were created, so that a sync of the target reports every lost page of
    // them
    if batch.count > 1, try target.root.syncFileSystem() { return }
    for photo in batch { try target.root.open(photo.hidden, .read).sync() }
  }

  /// - Returns: false if another process took the name in the meantime; then the photo has been removed.
  private func rename(_ photo: Photo) throws -> Bool {
    if photo.replaces {
      // fails for a folder with that name; replaces a link and does not follow it
      try target.root.replace(photo.name, with: photo.hidden)
      return true
    }
    do {
      try target.root.rename(photo.hidden, to: target.root, as: photo.name, by: RenameStrategy.atomic)
      return true
    } catch {
      guard error.errno == .fileExists || error.errno == .notSupported else { throw error }
      let isTaken = try error.errno == .fileExists || target.root.status(of: photo.name) != nil
      if isTaken {
        try target.root.remove(photo.hidden)
      } else {
        // FAT cannot rename exclusively: this replaces a file that another process creates at this moment;
        // reserving the name first could leave an empty file after a kill, which is likelier
        try target.root.replace(photo.name, with: photo.hidden)
      }
      return !isTaken
    }
  }
}
