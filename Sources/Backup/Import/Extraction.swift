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
    /// The files that are corrupt in the backup, and were staged from elsewhere.
    var replaced: [DamagedFile] = []
  }

  /// A file that is corrupt in the backup.
  struct DamagedFile {
    let file: MergePlan.FileToExtract
    let reason: String
    /// True if the disk could not read the file, which says nothing about its bytes.
    var isOfDisk = false
    /// Where the bytes came from instead; nil if the file was not staged.
    var substitute: Substitute?

    /// Where the bytes of a file that is corrupt in the backup came from.
    enum Substitute {
      /// An equal photo of the backup.
      case equalPhoto
      /// A file that an interrupted operation had staged.
      case stagedFile
    }
  }

  let source: OpenedBackup
  let files: [Placement.File]
  let change: Change
  let counter: ProgressCounter
  /// The key of the library's content tags.
  let key: ContentTagKey
  private let damaged: OrderedResults<DamagedFile>
  private let replaced = Mutex<[DamagedFile]>([])
  /// The indices of the backup's photos by content; nil until a photo is corrupt.
  private let equalPhotos = Mutex<[FileContent: [Int]]?>(nil)
  /// The content tags of the staged files, by index.
  private let tags: Mutex<[ContentTag?]>

  /// - Parameter whenDamaged: called for each corrupt file when it is found, in the order of `files`, by any thread.
  init(
    source: OpenedBackup, files: [Placement.File], change: Change, _ key: ContentTagKey,
    counter: ProgressCounter, whenDamaged: @escaping @Sendable (DamagedFile) -> Void = { _ in }
  ) {
    damaged = OrderedResults(whenFound: whenDamaged)
    self.source = source
    self.files = files
    self.change = change
    self.key = key
    self.counter = counter
    tags = Mutex(Array(repeating: nil, count: files.count))
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
      if let reused = try self.reuse(item, &reader) {
        self.counter.advance(items: 1, bytes: item.planned.size)
        self.reportIntact(at: index, reused.tag)
        return nil
      }
      return try reader.photo(item, at: index, of: self)
    }
    let damaged = damaged.values
    let ids = Set(damaged.map(\.file.id))
    let tags = tags.withLock { $0 }
    return Outcome(
      staged: zip(files, tags).filter { file, _ in !ids.contains(file.planned.id) }.map { file, tag in
        // the row of a photo that was corrupt when it was backed up has the MD5 of the intact bytes, whose tag is
        // unknown
        let isCorrupt = source.photos[file.planned.source].md5NotInBackup != nil
        return Change.StagedFile(
          name: file.stagedName, path: file.path, md5: file.planned.md5, tag: isCorrupt ? nil : tag)
      }, damaged: damaged,
      replaced: replaced.withLock { $0 }.sorted { $0.file.source < $1.file.source })
  }

  /// A leftover file that was staged.
  private struct Reused {
    /// Nil if the photo is corrupt in the backup.
    let tag: ContentTag?
  }

  /// Stages the file that an interrupted operation has left, instead of a new copy.
  ///
  /// - Returns: nil if no leftover file has the bytes of the photo, or the intact content of a photo that is corrupt in
  ///   the backup.
  private func reuse(_ item: Placement.File, _ reader: inout Reader) throws -> Reused? {
    let file = item.planned
    let origin = origin(of: file.source)
    guard
      let reused = change.reuse(file.content, from: origin, as: item.stagedName, modified: file.modified)
    else { return nil }
    if let tag = reused.tag { return Reused(tag: tag) }
    var comparison = try change.comparison(withStaged: item.stagedName, key)
    let fault = try reader.read(item) { bytes in
      try counter.checkCancellation()
      try comparison.add(bytes)
    }
    if fault == nil, let tag = try comparison.finish() {
      if let origin {
        change.recordVerified(staged: item.stagedName, md5: file.md5, tag: tag, from: origin)
      }
      return Reused(tag: tag)
    }
    guard let reason = try fault ?? self.fault(of: item, &reader),
      case let checksum = try source.crc32(ofCorruptPhotoAt: file.source, counter),
      try checksum == nil || checksum == crc32(of: item)
    else {
      try change.unstage(item.stagedName)
      return nil
    }
    replaced.withLock {
      $0.append(DamagedFile(file: file, reason: reason, substitute: .stagedFile))
    }
    return Reused(tag: nil)
  }

  private func crc32(of staged: Placement.File) throws -> UInt32? {
    try change.crc32(ofStaged: staged.stagedName, whileReading: counter.checkCancellation)
  }

  /// Reads a photo of the backup. Returns why it is corrupt; nil if it has the MD5 that the backup states.
  private func fault(of item: Placement.File, _ reader: inout Reader) throws -> String? {
    var hash = RunningMD5()
    let fault = try reader.read(item) { bytes in
      try counter.checkCancellation()
      hash.update(bytes)
    }
    if let fault { return fault }
    let md5 = item.planned.md5
    return hash.digest == md5 ? nil : "its MD5 is \(hash.digest) and should be \(md5)"
  }

  /// Replaces the staged file of a corrupt photo by the bytes of an equal photo, or leaves the photo out.
  func reportCorrupt(_ photo: ExtractedPhoto, _ damage: ExtractedPhoto.Damage) throws {
    var file = DamagedFile(file: photo.item.planned, reason: damage.reason, isOfDisk: damage.isOfDisk)
    try change.unstage(photo.item.stagedName)
    let tag = try stageEqualPhoto(insteadOf: photo.item)
    counter.advance(items: 1, bytes: photo.item.planned.size - photo.count)
    if let tag {
      file.substitute = .equalPhoto
      replaced.withLock { [file] in $0.append(file) }
      reportIntact(at: photo.index, tag)
    } else {
      damaged.add(file, at: photo.index)
    }
  }

  /// Stages the bytes of another photo of the backup with the same MD5, length and CRC-32. Photos with one MD5 and
  /// different bytes usually differ in their CRC-32.
  ///
  /// - Returns: the content tag; nil if the backup has no intact photo with this content.
  private func stageEqualPhoto(insteadOf item: Placement.File) throws -> ContentTag? {
    let planned = item.planned
    let indices = equalPhotos.withLock { known in
      let byContent = known ?? source.indicesByContent
      known = byContent
      return byContent[planned.content] ?? []
    }
    guard indices.count > 1 else { return nil }
    let checksum = try source.crc32(ofCorruptPhotoAt: planned.source, counter)
    var reader = try ChainReader(source)
    for index in indices
    where index != planned.source && source.crc32(ofPhotoAt: index).agreesAsCRC32(with: checksum) {
      let output = try change.stage(item.stagedName)
      let origin = origin(of: index)
      var (hash, tag, crc32, count) = (RunningMD5(), RunningContentTag(key), CRC32(), 0)
      let fault = try reader.read(source.photos[index].location, of: source) { bytes in
        try counter.checkCancellation()
        hash.update(bytes)
        tag.update(bytes)
        crc32.update(bytes)
        try output.write(bytes, at: count)
        count += bytes.count
      }
      if fault == nil, FileContent(md5: hash.digest, size: count) == planned.content,
        checksum.agreesAsCRC32(with: crc32.value)
      {
        try keep(output, of: item, tag.value, from: origin)
        return tag.value
      }
      try change.unstage(item.stagedName)
    }
    return nil
  }

  /// Completes a staged file whose content is that of the photo.
  func keep(
    _ output: borrowing File, of item: Placement.File, _ tag: ContentTag, from origin: PhotoOrigin?
  ) throws {
    try output.setModified(milliseconds: item.planned.modified)
    if let origin { change.recordVerified(output, md5: item.planned.md5, tag: tag, from: origin) }
    if change.syncs { output.startWriteBack(from: 0, count: item.planned.size) }
  }

  /// Where the bytes of a photo of the backup are now, by index; nil if it has no file, or the file is missing.
  func origin(of index: Int) -> PhotoOrigin? {
    let location = source.photos[index].location
    if case .file(let path, _, _) = location {
      return (try? File.open(path, .readFollowingLinks).status()).map { PhotoOrigin($0) }
    }
    return source.entry(of: location).map { PhotoOrigin($0.archive.status, entry: $0.entry.index) }
  }

  /// Counts a photo that was staged completely.
  func reportIntact(_ photo: ExtractedPhoto) {
    counter.advance(items: 1)
    reportIntact(at: photo.index, photo.tag)
  }

  private func reportIntact(at index: Int, _ tag: ContentTag?) {
    tags.withLock { $0[index] = tag }
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

    /// Reads a photo to its end. See `ChainReader.read(_:of:verifies:_:)`.
    mutating func read(
      _ item: Placement.File, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> String? {
      try entries.read(source.photos[item.planned.source].location, of: source, take)
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
  /// The CRC-32 that the archive states for a photo; nil for a photo without an entry.
  fileprivate func crc32(ofPhotoAt index: Int) -> UInt32? {
    entry(of: photos[index].location)?.entry.knownCRC32
  }

  /// Returns the CRC-32 of the intact bytes of a photo that is corrupt in the backup; nil if it is unknown. An entry that
  /// can be read has its CRC-32: if the MD5 is wrong, this is the CRC-32 of the wrong bytes. Blocks.
  ///
  /// - Throws: an error that concerns all photos, or `CancellationError`.
  func crc32(ofCorruptPhotoAt index: Int, _ counter: ProgressCounter) throws -> UInt32? {
    guard let checksum = crc32(ofPhotoAt: index) else { return nil }
    var reader = try ChainReader(self)
    let fault = try reader.read(photos[index].location, of: self) { _ in try counter.checkCancellation() }
    return fault == nil ? nil : checksum
  }

  /// The indices of the photos with files, by content.
  fileprivate var indicesByContent: [FileContent: [Int]] {
    var result: [FileContent: [Int]] = [:]
    for index in photos.indices {
      let location = photos[index].location
      guard let md5 = location.md5, let size = location.size else { continue }
      result[FileContent(md5: md5, size: size), default: []].append(index)
    }
    return result
  }
}
