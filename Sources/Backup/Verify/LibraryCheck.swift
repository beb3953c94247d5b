import FileSystem
import Operations
import PhotoLibrary
import Synchronization
import SystemPackage

/// Reads every photo of a library and compares it with its row, and looks for files that no row knows.
struct LibraryCheck {
  let library: Library
  let counter: ProgressCounter

  /// Blocks; reads only.
  func run() throws -> CheckSummary {
    try library.holdingPhotos(whileWaiting: counter.checkCancellation) {
      let contents = try library.contents()
      let photos = contents.photos.filter { !$0.isFromAssets }
      counter.setTotals(items: photos.count, bytes: photos.reduce(0) { $0 + $1.fileSize })
      counter.enter(.verifying)
      let damaged = Mutex<[Int: String]>([:])
      let (library, counter) = (library, counter)
      try Workers.forEach(0..<photos.count) { index in
        let photo = photos[index]
        var counted = 0
        if let reason = try Self.fault(of: photo, in: library, counter, &counted) {
          damaged.withLock { $0[index] = reason }
        }
        counter.advance(items: 1, bytes: photo.fileSize - counted, current: photo.name)
      }
      var summary = CheckSummary()
      summary.entriesChecked = photos.count
      for (index, reason) in damaged.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
        let photo = photos[index]
        let category = contents.categories.first { $0.id == photo.categoryId }?.displayName ?? ""
        summary.damaged.append(
          Finding(PhotoLabel.label(id: photo.id, category: category, name: photo.name), reason))
      }
      summary.strangers = try library.strangers().map(\.string.escaped)
      return summary
    }
  }

  /// What is wrong with a photo's file, nil if nothing is. Counts the bytes that it reads.
  static func fault(
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
