import Backup
import Checksums
import FileSystem
import Foundation
import ImageHeader
import Operations
import PhotoLibrary

/// Compares restored photos with the live library, byte for byte.
struct RestoreComparison {
  let scratch: Library
  let live: Library
  /// The contents of the live library.
  let contents: LibraryContents
  /// True if the library is unchanged since the archive was made. Every restored photo must then be in the library.
  let isCurrent: Bool
  let counter: ProgressCounter
  /// The result so far.
  private(set) var result = ArchiveRestore.Comparison()
  /// The photos of the library that are not matched with a restored photo yet.
  private var unmatched: [Key: [Photo]] = [:]
  /// The same, to find damaged rows, of which only the size or the MD5 is right.
  private var unmatchedBySize: [Int: [Photo]] = [:]
  private var unmatchedByMD5: [MD5Digest?: [Photo]] = [:]

  private static let pieceSize = 1 << 20

  init(
    scratch: Library, live: Library, contents: LibraryContents, isCurrent: Bool,
    counter: ProgressCounter
  ) {
    (self.scratch, self.live, self.contents) = (scratch, live, contents)
    (self.isCurrent, self.counter) = (isCurrent, counter)
  }

  /// Compares the photos. Blocks; reads only.
  ///
  /// - Parameters:
  ///   - missingBefore: the photos that the archive lists without files: the date of each, by ID.
  ///   - hasFailed: true if a photo could not be restored.
  /// - Throws: `LibraryError`, `FileError` that is an environment failure or concerns the scratch library,
  ///   `CancellationError`.
  mutating func run(missingBefore: [Int64: Timestamp], hasFailed: Bool) throws {
    counter.enter(.verifying)
    let restored = try scratch.contents()
    let names = Dictionary(uniqueKeysWithValues: restored.categories.map { ($0.id, $0.name) })
    let liveNames = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
    unmatched = Dictionary(
      grouping: contents.photos.filter { !$0.isFromAssets }, by: { Key($0, in: liveNames) })
    let photos = restored.photos.filter { !$0.isFromAssets }
    counter.setTotals(items: photos.count, bytes: photos.saturatedSum(\.fileSize))
    var different: [(photo: Photo, key: Key, label: Finding.Subject)] = []
    for photo in photos {
      try counter.checkCancellation()
      let label = restored.label(of: photo)
      let key = Key(photo, in: names)
      do {
        if try !hasEqual(photo, key, label) { different.append((photo, key, label)) }
      } catch let error as FileError
        where error.cause != .environment && !error.path.starts(with: scratch.path)
      {
        result.failures.append(Finding(label, "\(error)"))
      }
      counter.advance(items: 1, bytes: photo.fileSize, current: photo.name)
    }
    let rest = different.isEmpty ? [] : unmatched.values.flatMap(\.self)
    unmatchedBySize = Dictionary(grouping: rest, by: \.fileSize)
    unmatchedByMD5 = Dictionary(grouping: rest, by: \.md5)
    for (photo, key, label) in different { try reportDifference(photo, key, label) }
    if result.identical == 0, !hasFailed, result.failures.isEmpty, result.damagedInLibrary.isEmpty, !isCurrent
    {
      result.failures.append(
        Finding(
          .folder(live.path.string.escaped),
          message: "no restored photo is in the library, so nothing was compared; run a backup"))
    }
    try findMissingInBoth(missingBefore)
    result.isComplete = true
  }

  /// Finds photos that the archive and the library list and whose files are missing from both.
  private mutating func findMissingInBoth(_ missingBefore: [Int64: Timestamp]) throws {
    guard !missingBefore.isEmpty else { return }
    // a freed ID may belong to another photo by now
    for photo in contents.photos where missingBefore[photo.id] == photo.createdAt {
      let label = contents.label(of: photo)
      if try hasIntactFile(photo) {
        result.notes.append(
          "\(label): it is missing from the archive and intact in the library; the next backup stores it")
      } else {
        let reason = "its file was missing before the backup was made"
        result.damagedInLibrary.append(Finding(label, reason, remedy: .repairLibrary))
        result.missingInBoth += 1
      }
    }
  }

  /// What identifies a photo: its content in a category.
  private struct Key: Hashable {
    let category: String
    let identity: PhotoIdentity

    init(_ photo: Photo, in names: [Int64: String]) {
      category = names[photo.categoryId] ?? ""
      identity = photo.identity
    }
  }

  /// Matches a restored photo with an equal photo of the library. Returns false if no unmatched photo is equal.
  private mutating func hasEqual(_ photo: Photo, _ key: Key, _ label: Finding.Subject) throws -> Bool {
    let copy = try scratch.open(photo)
    let header = try ImageHeader.read { offset, count throws(FileError) in try copy.read(count, at: offset) }
    if header.format != nil {
      result.images += 1
    } else {
      result.notes.append("\(label): unknown image format")
    }
    if header.width > 0, photo.width > 0, (header.width, header.height) != (photo.width, photo.height) {
      result.notes.append(
        "\(label): the image has \(header.width)×\(header.height) pixels, the library records \(photo.width)×\(photo.height)"
      )
    }
    guard let index = try unmatched[key]?.firstIndex(where: { try isEqual(copy, to: $0) }) else {
      return false
    }
    unmatched[key]?.remove(at: index)
    result.identical += 1
    return true
  }

  /// Returns true if a photo's file in the library is intact.
  private func hasIntactFile(_ photo: Photo) throws -> Bool {
    try live.hasIntactFile(of: photo, whileReading: counter.checkCancellation)
  }

  /// Records why the library has no equal photo.
  private mutating func reportDifference(_ photo: Photo, _ key: Key, _ label: Finding.Subject) throws {
    guard let original = unmatched[key]?.popLast() else {
      if let original = try equalPhotoWithDamagedRow(photo) {
        result.identical += 1
        result.damagedInLibrary.append(
          Finding(
            contents.label(of: original), "its row in the database is damaged, and its file is intact",
            remedy: .repairLibrary))
      } else if isCurrent {
        result.failures.append(Finding(label, "it was restored, but is not in the library"))
      } else {
        result.notInLibrary += 1
      }
      return
    }
    if try hasIntactFile(original) {
      result.failures.append(Finding(label, "the restored photo differs from the one in the library"))
    } else {
      // the import has verified the MD5 of the restored photo
      result.damagedInLibrary.append(
        Finding(
          contents.label(of: original), "its file in the library is missing or corrupt",
          remedy: .repairLibrary))
    }
  }

  /// Returns a photo of the library whose row is damaged and whose file equals a restored photo.
  private func equalPhotoWithDamagedRow(_ photo: Photo) throws -> Photo? {
    guard let content = photo.content else { return nil }
    let likely = unmatchedBySize[content.size, default: []] + unmatchedByMD5[content.md5, default: []]
    return try likely.first { original in
      try original.content != content && original.isDamagedRow(of: content)
        && isEqual(scratch.open(photo), to: original)
    }
  }

  /// Returns true if the files are equal; false if they differ or the library's file cannot be read.
  private func isEqual(_ copy: borrowing File, to original: Photo) throws(FileError) -> Bool {
    do throws(FileError) {
      return try Self.areEqual(copy, live.open(original))
    } catch {
      if error.cause == .environment { throw error }
      return false
    }
  }

  private static func areEqual(_ one: borrowing File, _ other: borrowing File) throws(FileError) -> Bool {
    var offset = 0
    while true {
      let a = try one.read(pieceSize, at: offset)
      guard try other.read(pieceSize, at: offset) == a else { return false }
      if a.isEmpty { return true }
      offset += a.count
    }
  }
}
