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
    try PhotoReading(counter, Readers(readers, on: library.identity)).collect(photos.count) { index in
      let photo = photos[index]
      let bytes = PhotoBytes.photo(photo.path, of: library)
      return PhotoReading.Photo(bytes: bytes, counted: photo.fileSize) { outcome in
        let unusable = Self.fault(of: photo, outcome).map { fault in
          UnusablePhoto(
            photo: photo, label: contents.label(of: photo), reason: fault.reason,
            correctMD5: fault.correctMD5)
        }
        found.add(unusable, at: index)
        counter.advance(current: photo.name)
      }
    }
    return (photos.count, found.values)
  }

  /// Returns why a photo is unusable, and its MD5 if only that of its row is damaged; nil for an intact photo.
  private static func fault(
    of photo: Photo, _ outcome: PhotoOutcome
  ) -> (reason: String, correctMD5: MD5Digest?)? {
    switch outcome {
    case .fault(.notAFile): return ("\(photo.path.escaped) is not a file", nil)
    case .fault(let fault): return ("\(fault)", nil)
    case .intact(let file):
      if file == photo.content { return nil }
      let expected = photo.md5.map(\.description) ?? "unknown"
      if photo.hasDamagedMD5(for: file) {
        let reason =
          "its MD5 in the database is damaged (recorded \(expected), but \(photo.path.escaped) has \(file.md5))"
        return (reason, file.md5)
      }
      let found = "\(Count(file.size, "byte")) with MD5 \(file.md5)"
      return ("\(photo.path) is corrupt (\(found), recorded \(photo.fileSize) with \(expected))", nil)
    }
  }
}
