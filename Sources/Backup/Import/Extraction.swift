import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Synchronization

/// Extracts photo files of a backup into a change's staging folder, on several threads. Counts and hashes every
/// byte, so that a staged file has the content that the backup's metadata records. Does not extract a file that an
/// interrupted operation staged.
final class Extraction: Sendable {
  /// The result of an extraction.
  struct Outcome {
    /// The files in the staging folder.
    var staged: [Change.StagedFile] = []
    /// The files that are corrupt in the backup, in the backup's order. They are not staged.
    var damaged: [DamagedFile] = []
    /// The files that are corrupt in the backup, and were staged from equal photos of the backup.
    var replaced: [DamagedFile] = []
  }

  /// A file that is corrupt in the backup.
  struct DamagedFile {
    let file: MergePlan.FileToExtract
    let fault: PhotoFault
  }

  let source: OpenedBackup
  let files: [Placement.File]
  let change: Change
  let counter: ProgressCounter
  private let damaged: OrderedResults<DamagedFile>
  private let replaced = Mutex<[DamagedFile]>([])
  private let equalPhotos: Mutex<EqualPhotos>

  /// - Parameter whenDamaged: called for each corrupt file when it is found, in the order of `files`, by any thread.
  init(
    source: OpenedBackup, files: [Placement.File], change: Change, counter: ProgressCounter,
    whenDamaged: @escaping @Sendable (DamagedFile) -> Void = { _ in }
  ) {
    damaged = OrderedResults(whenFound: whenDamaged)
    equalPhotos = Mutex(EqualPhotos(source.photos))
    self.source = source
    self.files = files
    self.change = change
    self.counter = counter
  }

  /// Extracts all files.
  ///
  /// - Throws: an error that concerns all files, such as a full disk or a cancellation.
  func run(_ readers: Readers) throws -> Outcome {
    var reading = PhotoReading(counter, readers)
    // a photo is written as it is read
    (reading.files, reading.pieceSize) = (2, 128 << 10)
    try reading.collect(files.count) { index in
      let item = self.files[index]
      let planned = item.planned
      self.counter.advance(current: self.source.photos[planned.source].record.name)
      guard self.change.reuse(planned.content, as: item.stagedName, modified: planned.modified) else {
        return try self.photo(item, at: index)
      }
      self.counter.advance(items: 1, bytes: planned.content.size)
      self.damaged.add(nil, at: index)
      return nil
    }
    let damaged = damaged.values
    let ids = Set(damaged.map(\.file.id))
    return Outcome(
      staged: files.filter { !ids.contains($0.planned.id) }.map { file in
        Change.StagedFile(name: file.stagedName, path: file.path, md5: file.planned.content.md5)
      }, damaged: damaged,
      replaced: replaced.withLock { $0 }.sorted { $0.file.source < $1.file.source })
  }

  /// Stages a photo while it is read. If its bytes are corrupt, stages those of an equal photo instead.
  ///
  /// - Parameter index: the index in `files`.
  private func photo(_ item: Placement.File, at index: Int) throws -> PhotoReading.Photo {
    let planned = item.planned
    let output = SharedFile(try change.staging.stage(item.stagedName))
    var damage: DamagedFile?
    return PhotoReading.Photo(
      bytes: source.bytes(at: source.photos[planned.source].location), counted: planned.content.size,
      content: planned.content,
      alternatives: { fault in
        damage = DamagedFile(file: planned, fault: fault)
        // the other photos of the backup that are equal
        let equal = self.equalPhotos.withLock { $0.alternatives(to: planned.source) }
        return equal.compactMap { self.source.bytes(at: $0) }
      },
      take: { piece, offset in
        guard offset + piece.count <= planned.content.size else { throw PhotoFault.tooLong }
        try output.file.write(piece, at: offset)
      },
      end: { outcome in
        if outcome.content == nil {
          try self.change.staging.unstage(item.stagedName)
          self.damaged.add(damage, at: index)
        } else {
          try output.file.setModified(planned.modified)
          if self.change.syncs { output.file.startWriteBack(from: 0, count: planned.content.size) }
          if let damage { self.replaced.withLock { $0.append(damage) } }
          self.damaged.add(nil, at: index)
        }
      })
  }
}
