import Checksums
import FileSystem
import Operations
import Synchronization
import SystemPackage

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
      let hidden = name.removingLastComponent().appending(PartialName.lockedFolder.random().components)
      return ExtractPublication.Photo(
        index: index, hidden: hidden, name: name, size: item.size, replaces: replaces)
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
    var reading = PhotoReading(counter, readers)
    // a photo is written as it is read
    reading.pieceSize = 128 << 10
    try reading.collect(photos.count) { position in
      let photo = photos[position]
      let item = self.plan.items[photo.index]
      let record = self.source.photos[item.source]
      self.counter.advance(current: record.record.name)
      let output = try HiddenFile(of: photo, in: publication)
      return PhotoReading.Photo(
        bytes: self.source.bytes(at: record.location), counted: item.size,
        take: { piece, offset in try output.file.write(piece, at: offset) },
        end: { outcome in
          let fault = outcome.fault(unless: item.md5, size: item.size)
          if fault == nil { self.complete(output.file, item, photo.index) }
          self.damaged.add(fault.map { Note(index: photo.index, reason: "\($0)") }, at: position)
          if fault == nil { try output.publish() }
        })
    }
  }

  private func complete(_ file: borrowing File, _ item: ExtractPlan.Item, _ index: Int) {
    do throws(FileError) {
      try file.setModified(item.modified)
    } catch {
      undated.withLock { $0.append(Note(index: index, reason: "\(error)")) }
    }
    file.startWriteBack(from: 0, count: item.size)
  }
}

/// A photo's file under its hidden name. The deinitializer removes the file, unless it was handed over for publication.
private final class HiddenFile {
  let file: File
  private let photo: ExtractPublication.Photo
  private let publication: ExtractPublication
  private var isHandedOver = false

  init(of photo: ExtractPublication.Photo, in publication: ExtractPublication) throws {
    (self.photo, self.publication) = (photo, publication)
    file = try publication.target.root.open(photo.hidden, .create)
  }

  deinit {
    if !isHandedOver { _ = try? publication.target.root.remove(photo.hidden) }
  }

  func publish() throws {
    isHandedOver = true
    try publication.add(photo)
  }
}
