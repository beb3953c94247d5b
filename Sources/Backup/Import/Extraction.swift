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
  /// The indices of the backup's photos by content; nil until a photo is corrupt.
  private let equalPhotos = Mutex<[FileContent: [Int]]?>(nil)

  /// - Parameter whenDamaged: called for each corrupt file when it is found, in the order of `files`, by any thread.
  init(
    source: OpenedBackup, files: [Placement.File], change: Change, counter: ProgressCounter,
    whenDamaged: @escaping @Sendable (DamagedFile) -> Void = { _ in }
  ) {
    damaged = OrderedResults(whenFound: whenDamaged)
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

  /// Stages a photo while it is read.
  ///
  /// - Parameter index: the index in `files`.
  private func photo(_ item: Placement.File, at index: Int) throws -> PhotoReading.Photo {
    let content = item.planned.content
    let output = SharedFile(try change.stage(item.stagedName))
    let bytes = source.bytes(at: source.photos[item.planned.source].location)
    return PhotoReading.Photo(
      bytes: bytes, counted: content.size,
      take: { piece, offset in
        guard offset + piece.count <= content.size else { throw PhotoFault.tooLong }
        try output.file.write(piece, at: offset)
      },
      end: { outcome in
        if let fault = outcome.fault(unless: content.md5, size: content.size) {
          try self.replace(item, at: index, fault)
        } else {
          try self.keep(output.file, of: item)
          self.damaged.add(nil, at: index)
        }
      })
  }

  /// Replaces the staged file of a corrupt photo by the bytes of an equal photo, or leaves the photo out.
  private func replace(_ item: Placement.File, at index: Int, _ fault: PhotoFault) throws {
    let file = DamagedFile(file: item.planned, fault: fault)
    try change.unstage(item.stagedName)
    let isStaged = try stageEqualPhoto(insteadOf: item)
    if isStaged { replaced.withLock { $0.append(file) } }
    damaged.add(isStaged ? nil : file, at: index)
  }

  /// Stages the bytes of another photo of the backup with the same MD5 and size.
  ///
  /// - Returns: false if the backup has no intact photo with this content.
  private func stageEqualPhoto(insteadOf item: Placement.File) throws -> Bool {
    let planned = item.planned
    let indices = equalPhotos.withLock { known in
      let byContent = known ?? source.indicesByContent
      known = byContent
      return byContent[planned.content] ?? []
    }
    guard indices.count > 1 else { return false }
    let reader = PhotoReader(counter)
    for index in indices where index != planned.source {
      let output = try change.stage(item.stagedName)
      let outcome = try reader.read(source.bytes(at: source.photos[index].location)) { piece, offset in
        try output.write(piece, at: offset)
      }
      if outcome.fault(unless: planned.content.md5, size: planned.content.size) == nil {
        try keep(output, of: item)
        return true
      }
      try change.unstage(item.stagedName)
    }
    return false
  }

  /// Completes a staged file whose content is that of the photo.
  private func keep(_ output: borrowing File, of item: Placement.File) throws {
    try output.setModified(milliseconds: item.planned.modified)
    if change.syncs { output.startWriteBack(from: 0, count: item.planned.content.size) }
  }
}

extension OpenedBackup {
  /// The indices of the photos with files, by content.
  fileprivate var indicesByContent: [FileContent: [Int]] {
    var result: [FileContent: [Int]] = [:]
    for index in photos.indices {
      guard let content = photos[index].location.content else { continue }
      result[content, default: []].append(index)
    }
    return result
  }
}
