import Checksums
import FileSystem
import Operations
import Synchronization
import SystemPackage
import Zip

/// Writes the chosen photos of a plan, on several threads.
final class ExtractWriting: Sendable {
  private let source: OpenedBackup
  private let plan: ExtractPlan
  private let target: ExtractTarget
  private let counter: ProgressCounter
  /// The photos that are corrupt and were not extracted.
  private let damaged: OrderedResults<Note>
  /// The photos whose dates could not be set.
  private let undated = Mutex<[Note]>([])

  /// A note about an item of the plan.
  struct Note: Sendable {
    let index: Int
    let reason: String
  }

  /// - Parameter whenDamaged: called for each corrupt photo when it is found, in the order of the plan, by any thread.
  init(
    _ source: OpenedBackup, _ plan: ExtractPlan, to target: ExtractTarget, _ counter: ProgressCounter,
    whenDamaged: @escaping @Sendable (Note) -> Void
  ) {
    damaged = OrderedResults(whenFound: whenDamaged)
    self.source = source
    self.plan = plan
    self.target = target
    self.counter = counter
  }

  /// The results of writing, by item of the plan.
  struct Outcome {
    /// The items that are published and durable.
    var written: [Int]
    /// The items whose names another process took while they were written.
    var taken: [Int]
    /// The items that are corrupt and were not extracted.
    var damaged: [Note]
    /// The items whose dates could not be set.
    var undated: [Note]
  }

  /// Writes these items. An item with `replaces` replaces an existing file.
  ///
  /// - Throws: an error that stops the extraction, such as a full disk or a cancellation. The photos that were
  ///   complete by then are published if the disk allows it.
  func write(_ items: [(index: Int, replaces: Bool)], _ readers: Readers) throws -> Outcome {
    for folder in Set(items.map { plan.items[$0.index].folder }).sorted() {
      try target.makeFolder(FilePath(plan.folders[folder]))
    }
    let publication = ExtractPublication(in: target)
    let photos = items.map { index, replaces in
      let item = plan.items[index]
      let name = plan.path(of: item)
      let folder = name.removingLastComponent()
      return ExtractPublication.Photo(
        index: index, folder: folder,
        hidden: folder.appending(PartialName.lockedFolder.random().components),
        name: name, size: item.size, replaces: replaces)
    }
    do {
      try read(photos, publication, readers)
    } catch {
      _ = try? publication.finish()
      throw error
    }
    let (published, taken) = try publication.finish()
    return Outcome(
      written: published.map(\.index), taken: taken.map(\.index), damaged: damaged.values,
      undated: undated.withLock { $0 }.sorted { $0.index < $1.index })
  }

  private func read(
    _ photos: [ExtractPublication.Photo], _ publication: ExtractPublication, _ readers: Readers
  ) throws {
    let source = source
    try ParallelHashing.read(0..<photos.count, readers, context: { try ChainReader(source) }) {
      place, reader in
      let photo = photos[place]
      let item = self.plan.items[photo.index]
      let record = source.photos[item.source]
      try self.counter.checkCancellation()
      self.counter.advance(current: record.record.name)
      let end = { (fault: String?) in
        self.damaged.add(fault.map { Note(index: photo.index, reason: $0) }, at: place)
      }
      let noteDate = { (error: String) in
        self.undated.withLock { $0.append(Note(index: photo.index, reason: error)) }
      }
      guard let (entry, holder, archive) = source.entry(of: record.location) else {
        end("it has no file")
        return nil
      }
      if var plain = try PlainEntry(entry, of: archive) {
        return try ExtractedFile(
          item, as: photo, to: publication, self.counter, finishPhoto: end, noteDate: noteDate
        ) { try plain.read(into: $0) }
      }
      let file = try ExtractedFile(
        item, as: photo, to: publication, self.counter, finishPhoto: end, noteDate: noteDate)
      var hash = RunningMD5()
      do {
        try reader.read(entry, of: archive, in: holder) { bytes in
          try file.take(bytes)
          hash.update(bytes)
        }
      } catch {
        try file.fail(error)
        return nil
      }
      try file.finish(hash.digest)
      return nil
    }
  }
}
