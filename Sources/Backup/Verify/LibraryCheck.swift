import Checksums
import FileSystem
import Operations
import PhotoLibrary
import Synchronization
import SystemPackage

/// Reads every photo of a library and compares it with its row, and looks for files that no row knows.
struct LibraryCheck {
  let library: Library
  let counter: ProgressCounter

  /// A photo whose file is not as its row says.
  struct DamagedPhoto {
    var photo: Photo
    /// How messages name it.
    var label: String
    var reason: String
  }

  /// Blocks; reads only.
  func run(lockWait: Duration) throws -> CheckSummary {
    try library.holdingPhotos(lockWait: lockWait, whileWaiting: counter.waitForWriter) {
      var summary = CheckSummary()
      let (checked, damaged) = try damagedPhotos()
      summary.entriesChecked = checked
      summary.damaged = damaged.map { Finding($0.label, $0.reason) }
      summary.strangers = try library.strangers().map(\.string.escaped)
      return summary
    }
  }

  /// Reads every photo that has a file. Blocks; reads only. The caller holds the photos.
  ///
  /// - Returns: how many there are, and those whose bytes are not those of their rows, by id.
  func damagedPhotos() throws -> (checked: Int, damaged: [DamagedPhoto]) {
    let contents = try library.contents()
    let photos = contents.photos.filter { !$0.isFromAssets }
    counter.setTotals(items: photos.count, bytes: photos.reduce(0) { $0 + $1.fileSize })
    counter.enter(.verifying)
    let reasons = Mutex<[Int: String]>([:])
    let (library, counter) = (library, counter)
    try Workers.forEach(0..<photos.count) { index in
      let photo = photos[index]
      var counted = 0
      if let reason = try Self.fault(of: photo, in: library, counter, &counted) {
        reasons.withLock { $0[index] = reason }
      }
      counter.advance(items: 1, bytes: photo.fileSize - counted, current: photo.name)
    }
    let categories = Dictionary(
      contents.categories.map { ($0.id, $0.displayName) }, uniquingKeysWith: { first, _ in first })
    let damaged = reasons.withLock { $0 }.sorted { $0.key < $1.key }.map { index, reason in
      let photo = photos[index]
      let category = categories[photo.categoryId] ?? ""
      return DamagedPhoto(
        photo: photo, label: PhotoLabel.label(id: photo.id, category: category, name: photo.name),
        reason: reason)
    }
    return (photos.count, damaged)
  }

  /// What is wrong with a photo's file, nil if nothing is. Counts the bytes that it reads.
  private static func fault(
    of photo: Photo, in library: Library, _ counter: ProgressCounter, _ counted: inout Int
  ) throws -> String? {
    do {
      let file = try library.open(photo)
      guard try file.status().kind == .file else { return "\(photo.path.escaped) is no file" }
      let (digest, size) = try MD5Digest.ofFile(file) { count in
        try counter.checkCancellation()
        let rest = min(count, photo.fileSize - counted)
        counted += rest
        counter.advance(bytes: rest)
      }
      guard digest != photo.md5 || size != photo.fileSize else { return nil }
      let expected = photo.md5.map(\.description) ?? "unknown"
      return "\(photo.path): \(size) bytes with MD5 \(digest), should be \(photo.fileSize) with \(expected)"
    } catch let error as FileError {
      return "\(error)"
    }
  }
}
