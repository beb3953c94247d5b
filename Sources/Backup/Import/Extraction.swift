import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Synchronization
import Zip

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
    let reason: String
    /// True if the disk could not read the file, which says nothing about its bytes.
    var isOfDisk = false
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
    let source = source
    try ParallelHashing.read(
      0..<files.count, readers, files: 2, context: { try Reader(source) }
    ) { index, reader in
      let item = self.files[index]
      try self.counter.checkCancellation()
      self.counter.advance(current: source.photos[item.planned.source].record.name)
      let planned = item.planned
      if self.change.reuse(planned.content, as: item.stagedName, modified: planned.modified) {
        self.counter.advance(bytes: planned.content.size)
        self.reportIntact(at: index)
        return nil
      }
      return try reader.photo(item, at: index, of: self)
    }
    let damaged = damaged.values
    let ids = Set(damaged.map(\.file.id))
    return Outcome(
      staged: files.filter { !ids.contains($0.planned.id) }.map { file in
        Change.StagedFile(name: file.stagedName, path: file.path, md5: file.planned.content.md5)
      }, damaged: damaged,
      replaced: replaced.withLock { $0 }.sorted { $0.file.source < $1.file.source })
  }

  /// Replaces the staged file of a corrupt photo by the bytes of an equal photo, or leaves the photo out.
  func reportCorrupt(_ photo: ExtractedPhoto, _ damage: ExtractedPhoto.Damage) throws {
    let planned = photo.item.planned
    let file = DamagedFile(file: planned, reason: damage.reason, isOfDisk: damage.isOfDisk)
    try change.unstage(photo.item.stagedName)
    let isStaged = try stageEqualPhoto(insteadOf: photo.item)
    counter.advance(bytes: planned.content.size - photo.count)
    if isStaged {
      replaced.withLock { $0.append(file) }
      reportIntact(at: photo.index)
    } else {
      counter.advance(items: 1)
      damaged.add(file, at: photo.index)
    }
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
    var reader = try ChainReader(source)
    for index in indices where index != planned.source {
      let output = try change.stage(item.stagedName)
      var (hash, count) = (RunningMD5(), 0)
      let fault = try reader.read(source.photos[index].location, of: source) { bytes in
        try counter.checkCancellation()
        hash.update(bytes)
        try output.write(bytes, at: count)
        count += bytes.count
      }
      if fault == nil, FileContent(md5: hash.digest, size: count) == planned.content {
        try keep(output, of: item)
        return true
      }
      try change.unstage(item.stagedName)
    }
    return false
  }

  /// Completes a staged file whose content is that of the photo.
  func keep(_ output: borrowing File, of item: Placement.File) throws {
    try output.setModified(milliseconds: item.planned.modified)
    if change.syncs { output.startWriteBack(from: 0, count: item.planned.content.size) }
  }

  /// Counts a photo that was staged completely.
  ///
  /// - Parameter index: the index in `files`.
  func reportIntact(at index: Int) {
    counter.advance(items: 1)
    damaged.add(nil, at: index)
  }

  /// The state of one thread.
  private struct Reader: ~Copyable {
    private let source: OpenedBackup
    /// Reads entries that are compressed or encrypted.
    private var entries: ChainReader

    /// - Throws: if an archive has changed since it was opened.
    init(_ source: OpenedBackup) throws {
      self.source = source
      entries = try ChainReader(source)
    }

    /// Returns a photo to read concurrently with others, or nil if the photo is compressed or encrypted and has
    /// been extracted.
    mutating func photo(
      _ item: Placement.File, at index: Int, of extraction: Extraction
    ) throws -> ExtractedPhoto? {
      let output = try extraction.change.stage(item.stagedName)
      let location = source.photos[item.planned.source].location
      if case .file(let path, _, _) = location {
        let file = FoundPhotoFile(path)
        return ExtractedPhoto(item, at: index, to: output, of: extraction) { try file.read(into: $0) }
      }
      guard let (entry, holder, archive) = source.entry(of: location) else {
        let photo = ExtractedPhoto(item, at: index, to: output, of: extraction)
        try photo.fail(ExtractedPhoto.Damage(reason: "it has no file"))
        return nil
      }
      if var plain = try PlainEntry(entry, of: archive) {
        return ExtractedPhoto(item, at: index, to: output, of: extraction) { try plain.read(into: $0) }
      }
      let photo = ExtractedPhoto(item, at: index, to: output, of: extraction)
      try extract(entry, of: archive, in: holder, as: photo)
      return nil
    }

    private mutating func extract(
      _ entry: Entry, of archive: Archive, in holder: OpenedBackup, as photo: ExtractedPhoto
    ) throws {
      var hash = RunningMD5()
      do {
        try entries.read(entry, of: archive, in: holder) { bytes in
          try photo.take(bytes)
          hash.update(bytes)
        }
        try photo.finish(hash.digest)
      } catch {
        try photo.fail(error)
      }
    }
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
