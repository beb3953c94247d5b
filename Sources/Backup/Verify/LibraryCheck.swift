import Checksums
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// Reads every photo of a library, compares it with its row, and finds untracked files.
struct LibraryCheck {
  let library: Library
  let counter: ProgressCounter
  /// The number of photos to read concurrently; nil for the best number for the disk.
  var readers: Int?

  /// A photo whose file is missing or corrupt, or whose row has a damaged MD5.
  struct UnusablePhoto {
    var photo: Photo
    /// The label of the photo in messages.
    var label: Finding.Subject
    var reason: String
    /// The MD5 of the file if it is intact and the row is damaged.
    var correctMD5: MD5Digest?

    /// The finding for the user.
    var finding: Finding { Finding(label, reason, remedy: correctMD5 == nil ? nil : .repairLibrary) }
  }

  /// Checks the library. Blocks; reads only.
  func run(lockWait: Duration) throws -> CheckSummary {
    try library.withPhotoReadLock(lockWait: lockWait, whileWaiting: counter.reportWaitingForLock) {
      var summary = CheckSummary()
      let (checked, damaged) = try unusablePhotos { [counter] photo in
        counter.report(photo.finding)
      }
      summary.entriesChecked = checked
      summary.damaged = damaged.map(\.finding)
      (summary.stagedFiles, summary.stagedBytes) = try library.stagedFiles()
      summary.untracked = try library.untrackedFiles().map(\.string.escaped)
      return summary
    }
  }

  /// Reads every photo that has a file. Blocks; reads only. The caller holds the read lock of the photos.
  ///
  /// - Parameter whenFound: called for each missing or corrupt photo when it is found, by id, by any thread.
  /// - Returns: the number of photos read, and the missing or corrupt ones, by id.
  func unusablePhotos(
    whenFound: @escaping @Sendable (UnusablePhoto) -> Void = { _ in }
  ) throws -> (checked: Int, damaged: [UnusablePhoto]) {
    let contents = try library.contents()
    let photos = contents.photos.filter { !$0.isFromAssets }
    counter.setTotals(items: photos.count, bytes: photos.saturatedSum(\.fileSize))
    counter.enter(.verifying)
    let (library, counter) = (library, counter)
    let found = OrderedResults(whenFound: whenFound)
    try ParallelHashing.read(0..<photos.count, Readers(readers, on: library.identity), context: {}) {
      index, _ in
      let photo = photos[index]
      return LibraryPhoto(photo, in: library, counter) { reason, correctMD5 in
        let unusable = reason.map {
          UnusablePhoto(photo: photo, label: contents.label(of: photo), reason: $0, correctMD5: correctMD5)
        }
        found.add(unusable, at: index)
      }
    }
    return (photos.count, found.values)
  }
}

/// Hashes a photo of a library and compares it with its row.
private final class LibraryPhoto: HashableStream {
  private let photo: Photo
  private let library: Library
  private let counter: ProgressCounter
  private let finishPhoto: (String?, MD5Digest?) -> Void
  private var opened: SharedFile?
  private var size = 0
  private var counted = 0

  /// - Parameter finishPhoto: called once with the fault of the photo, nil if it is intact, and the MD5 of an intact file
  ///   whose row is damaged.
  init(
    _ photo: Photo, in library: Library, _ counter: ProgressCounter,
    finishPhoto: @escaping (String?, MD5Digest?) -> Void
  ) {
    self.photo = photo
    self.library = library
    self.counter = counter
    self.finishPhoto = finishPhoto
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try counter.checkCancellation()
    let file = try opened ?? open()
    let count = try file.file.read(into: buffer, at: size)
    size += count
    let rest = min(count, photo.fileSize - counted)
    counted += rest
    counter.advance(bytes: rest)
    return count
  }

  private func open() throws -> SharedFile {
    let file = SharedFile(try library.open(photo))
    guard try file.file.status().kind == .file else { throw NoFile() }
    opened = file
    return file
  }

  func finish(_ digest: MD5Digest) {
    guard digest != photo.md5 || size != photo.fileSize else { return end(nil) }
    let expected = photo.md5.map(\.description) ?? "unknown"
    if photo.hasDamagedMD5(for: FileContent(md5: digest, size: size)) {
      let fault =
        "its MD5 in the database is damaged (recorded \(expected), but \(photo.path.escaped) has \(digest))"
      return end(fault, correctMD5: digest)
    }
    end(
      "\(photo.path) is corrupt (\(Count(size, "byte")) with MD5 \(digest), recorded \(photo.fileSize) with \(expected))"
    )
  }

  func fail(_ error: any Error) throws {
    switch error {
    case is NoFile: end("\(photo.path.escaped) is not a file")
    case let error as FileError where error.cause == .environment: throw error
    case let error as FileError: end("\(error)")
    default: throw error
    }
  }

  private func end(_ fault: String?, correctMD5: MD5Digest? = nil) {
    finishPhoto(fault, correctMD5)
    counter.advance(items: 1, bytes: photo.fileSize - counted, current: photo.name)
  }

  private struct NoFile: Error {}
}
