import FileSystem
import Synchronization
import SystemPackage

/// Photos that are whole under hidden names, until they are on the disk and get their own: many at a time, since that
/// costs the disk little more than one.
///
/// A crash leaves hidden files, which the next run sweeps, and never a part of a photo under a photo's name: what has
/// one has been flushed before.
final class ExtractPublication: Sendable {
  /// A photo under its hidden name.
  struct Photo: Sendable {
    /// Which of the plan's items.
    var index: Int
    /// Its category's.
    var folder: FilePath
    /// In the target, as `name` is.
    var hidden: FilePath
    var name: FilePath
    var size: Int
    /// It takes the place of a file that was there.
    var replaces: Bool
  }

  /// As many files, or bytes, are flushed together.
  private static let mostFiles = 256
  static let mostBytes = 256 << 20

  private struct Pending {
    var photos: [Photo] = []
    var bytes = 0
  }

  private struct Progress {
    var published: [Photo] = []
    /// Names that somebody took in the meantime, by item.
    var taken: [Int] = []
    /// After a failed flush the disk has said once what it lost, and nothing that waits can be trusted.
    var failure: (any Error)?
  }

  let target: ExtractTarget
  private let pending = Mutex(Pending())
  private let progress = Mutex(Progress())

  init(in target: ExtractTarget) { self.target = target }

  /// Takes a photo that has been written and checked. Any thread.
  func add(_ photo: Photo) throws {
    let batch = pending.withLock { pending -> [Photo] in
      pending.photos.append(photo)
      pending.bytes += photo.size
      guard pending.photos.count >= Self.mostFiles || pending.bytes >= Self.mostBytes else { return [] }
      defer { pending = Pending() }
      return pending.photos
    }
    if !batch.isEmpty { try publish(batch) }
  }

  /// Publishes what waits, and makes the names durable.
  ///
  /// - Returns: the photos that have their names now, and the items whose names were taken in the meantime.
  func finish() throws -> (published: [Photo], taken: [Int]) {
    let rest = pending.withLock { pending in
      defer { pending = Pending() }
      return pending.photos
    }
    if !rest.isEmpty { try publish(rest) }
    let (published, taken) = progress.withLock { ($0.published, $0.taken) }
    for folder in Set(published.map(\.folder)) { try target.root.directory(folder).sync() }
    try target.sync()
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
            progress.taken.append(photo.index)
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
    // the target was opened before the files were made, so that it hears of each page of them that was lost
    if batch.count > 1, try target.syncFileSystem() { return }
    for photo in batch { try target.root.open(photo.hidden, .read).sync() }
  }

  /// - Returns: false if somebody took the name in the meantime; the photo is gone then.
  private func rename(_ photo: Photo) throws -> Bool {
    if photo.replaces {
      // a folder of that name is an error, and a link is replaced and not followed
      try target.root.replace(photo.name, with: photo.hidden)
      return true
    }
    do {
      try target.root.renameAtomically(photo.hidden, to: target.root, as: photo.name)
      return true
    } catch {
      guard error.errno == .fileExists || error.errno == .notSupported else { throw error }
      let isTaken = try error.errno == .fileExists || target.root.status(of: photo.name) != nil
      if isTaken {
        try target.root.remove(photo.hidden)
      } else {
        // FAT: a name that comes to be at this very moment would be lost; an empty file left by a kill is likelier
        try target.root.replace(photo.name, with: photo.hidden)
      }
      return !isTaken
    }
  }
}
