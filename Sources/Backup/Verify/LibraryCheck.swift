import Checksums
import FileSystem
import Operations
import PhotoLibrary

/// Reads every photo of a library, compares it with its row, and finds untracked files.
struct LibraryCheck {
  let library: Library
  let counter: ProgressCounter
  /// The number of photos to read concurrently; nil for the best number for the disk.
  var readers: Int?

  /// A photo whose file is missing or corrupt, or whose row is damaged.
  struct UnusablePhoto {
    var photo: Photo
    /// The label of the photo in messages.
    var label: Finding.Subject
    var reason: String
    /// The content of the file if it is intact and the row is damaged.
    var correctContent: FileContent?

    /// The finding for the user.
    var finding: Finding { Finding(label, reason, remedy: correctContent == nil ? nil : .repairLibrary) }
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
  /// - Parameter whenFound: called for each photo that is missing or corrupt, or whose row is damaged, by ID, by any thread.
  /// - Returns: the number of photos read, and the unusable ones, by ID.
  func unusablePhotos(
    whenFound: @escaping @Sendable (UnusablePhoto) -> Void = { _ in }
  ) throws -> (checked: Int, damaged: [UnusablePhoto]) {
    let contents = try library.contents()
    let photos = contents.photos.filter { !$0.isFromAssets }
    counter.setTotals(items: photos.count, bytes: photos.saturatedSum(\.fileSize))
    counter.enter(.verifying)
    let (library, counter) = (library, counter)
    let found = OrderedResults(whenFound: whenFound)
    try PhotoReading(counter, Readers(readers, on: library.identity)).collect(photos.count) { index in
      let photo = photos[index]
      let bytes = PhotoBytes.photo(photo.path, of: library)
      return PhotoReading.Photo(bytes: bytes, counted: photo.fileSize) { outcome in
        let unusable = photo.fault(after: outcome).map { fault in
          UnusablePhoto(
            photo: photo, label: contents.label(of: photo), reason: fault.reason,
            correctContent: fault.correctContent)
        }
        found.add(unusable, at: index)
        counter.advance(current: photo.name)
      }
    }
    return (photos.count, found.values)
  }
}

extension Photo {
  /// Returns why the photo is unusable, and the content of its file if that is intact and the row is damaged; nil for an
  /// intact photo.
  func fault(after outcome: PhotoOutcome) -> (reason: String, correctContent: FileContent?)? {
    switch outcome {
    case .fault(.notAFile): return ("\(path.escaped) is not a file", nil)
    case .fault(let fault): return ("\(fault)", nil)
    case .read(let file):
      if file == content { return nil }
      let found = "\(Count(file.size, "byte")) with MD5 \(file.md5)"
      let contents = "(\(found), recorded \(fileSize) with \(md5?.description ?? "unknown"))"
      return isDamagedRow(of: file)
        ? ("its row in the database is damaged, and \(path.escaped) is intact \(contents)", file)
        : ("\(path.escaped) is corrupt \(contents)", nil)
    }
  }
}
