import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Synchronization

/// Reads many photos to their ends, and hashes them. Each thread reads several photos at a time, except that it reads
/// one after the other those that must be decompressed or decrypted. The memory does not depend on the photos' sizes.
struct PhotoReading {
  let counter: ProgressCounter
  /// The number of threads, and of photos that each reads at a time.
  let readers: Readers
  /// The most files that the reading of a photo keeps open.
  var files = 1
  /// The bytes that are read of a photo at a time.
  var pieceSize = MultiStreamMD5Reader.pieceSize

  init(_ counter: ProgressCounter, _ readers: Readers) { (self.counter, self.readers) = (counter, readers) }

  /// A photo to read, and what becomes of its bytes.
  struct Photo {
    /// Nil if there is no file.
    let bytes: PhotoBytes?
    /// The bytes that the progress counts, with one item; nil if it does not count the photo.
    var counted: Int?
    /// The MD5 and size that the bytes must have, since other bytes are a fault; nil if they are unknown.
    var content: FileContent?
    /// Returns other places that may have the same content, after a fault. The engine reads them one after the other,
    /// until one has the content; `take` gets their bytes, too.
    var alternatives: (PhotoFault) -> [PhotoBytes] = { _ in [] }
    /// Receives each piece, and its offset. May throw a `PhotoFault` to give up this photo.
    var take: (UnsafeRawBufferPointer, _ offset: Int) throws -> Void = { _, _ in }
    /// Receives the outcome. The file is still open.
    let end: (PhotoOutcome) throws -> Void
  }

  /// Reads photos. Calls `photo` once for every index, in order, by any thread; it returns nil for a photo that need
  /// not be read. Blocks.
  ///
  /// - Throws: what `photo` and the functions of its photos throw; an error that concerns all photos;
  ///   `CancellationError`, which each piece checks.
  func collect(_ count: Int, _ photo: @escaping @Sendable (Int) throws -> Photo?) throws {
    try ParallelHashing.read(
      0..<count, readers, files: files, pieceSize: pieceSize,
      context: { [counter] in PhotoReader(counter) }
    ) { [counter] index, reader in
      try counter.checkCancellation()
      guard let photo = try photo(index) else { return nil }
      let stream = PhotoInReading(photo, counter)
      if photo.bytes?.isEncoded != true { return try stream.open(by: reader) ? stream : nil }
      try stream.end(
        reader.read(photo.bytes) { piece, _ in try stream.take(piece) })
      return nil
    }
  }

  /// Reads photos, and returns the outcome of each; nil for those for which `photo` returns nil. Blocks.
  ///
  /// - Parameter photo: returns the bytes of the photo at an index, and their number for the progress.
  func outcomes(
    _ count: Int, _ photo: @escaping @Sendable (Int) throws -> (bytes: PhotoBytes?, counted: Int?)?
  ) throws -> [PhotoOutcome?] {
    let outcomes = Mutex([PhotoOutcome?](repeating: nil, count: count))
    try collect(count) { index in
      try photo(index).map { photo in
        Photo(bytes: photo.bytes, counted: photo.counted) { outcome in
          outcomes.withLock { $0[index] = outcome }
        }
      }
    }
    return outcomes.withLock { $0 }
  }
}

/// A photo while it is read.
private final class PhotoInReading: HashableStream {
  private let photo: PhotoReading.Photo
  private let counter: ProgressCounter
  private var stream: (any ByteStream)?
  private var size = 0
  private var counted = 0

  init(_ photo: PhotoReading.Photo, _ counter: ProgressCounter) {
    (self.photo, self.counter) = (photo, counter)
  }

  /// - Returns: false if the photo cannot be opened; then it has its outcome.
  func open(by reader: PhotoReader) throws -> Bool {
    do {
      guard let bytes = photo.bytes else { throw PhotoFault.noFile }
      stream = try reader.open(bytes)
      return true
    } catch {
      try fail(error)
      return false
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try counter.checkCancellation()
    let count = try stream?.fill(buffer) ?? 0
    try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  func take(_ piece: UnsafeRawBufferPointer) throws {
    try photo.take(piece, size)
    size += piece.count
    guard let total = photo.counted else { return }
    let part = min(piece.count, total - counted)
    counted += part
    counter.advance(bytes: part)
  }

  func finish(_ digest: MD5Digest) throws { try end(.read(FileContent(md5: digest, size: size))) }

  func fail(_ error: any Error) throws {
    guard let fault = error as? PhotoFault else { throw error }
    try end(.fault(fault))
  }

  func end(_ outcome: PhotoOutcome) throws {
    if let total = photo.counted { counter.advance(items: 1, bytes: total - counted) }
    try photo.end(judged(outcome))
  }

  /// Returns the outcome of the first place that has the content; if none has it, the fault of the photo's own bytes.
  private func judged(_ outcome: PhotoOutcome) throws -> PhotoOutcome {
    guard let content = photo.content,
      let fault = outcome.fault(unless: content.md5, size: content.size)
    else { return outcome }
    let reader = PhotoReader(counter)
    for bytes in photo.alternatives(fault) {
      let other = try reader.read(bytes, photo.take)
      if other.content == content { return other }
    }
    return .fault(fault)
  }
}
