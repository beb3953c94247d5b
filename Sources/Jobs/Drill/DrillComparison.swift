import Backup
import Checksums
import FileSystem
import Foundation
import ImageHeader
import Operations
import PhotoLibrary

/// Holds what was restored against the live library.
struct DrillComparison {
  let scratch: Library
  let live: Library
  /// What the live library holds.
  let contents: LibraryContents
  /// The library is still as it was when the archive was made, so that nothing may be missing from it.
  let isCurrent: Bool
  let counter: ProgressCounter

  private static let pieceSize = 1 << 20

  func run(_ result: inout DrillResult) throws {
    counter.enter(.verifying)
    let restored = try scratch.contents()
    let names = Dictionary(uniqueKeysWithValues: restored.categories.map { ($0.id, $0.name) })
    let displayNames = Dictionary(uniqueKeysWithValues: restored.categories.map { ($0.id, $0.displayName) })
    let liveNames = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.name) })
    let byContent = Dictionary(
      contents.photos.filter { !$0.isFromAssets }.map { (Key($0, in: liveNames), $0) },
      uniquingKeysWith: { first, _ in first })
    let photos = restored.photos.filter { !$0.isFromAssets }
    counter.setTotals(items: photos.count, bytes: photos.reduce(0) { $0 + $1.fileSize })
    for photo in photos {
      try counter.checkCancellation()
      let label = PhotoLabel.label(
        id: photo.id, category: displayNames[photo.categoryId] ?? "", name: photo.name)
      do {
        try compare(photo, with: byContent[Key(photo, in: names)], label, &result)
      } catch let error as FileError where !error.isShortage {
        result.failures.append(Finding(label, "\(error)"))
      }
      counter.advance(items: 1, bytes: photo.fileSize, current: photo.name)
    }
    if result.proven == 0, result.failures.isEmpty, result.damagedInLibrary.isEmpty, !isCurrent {
      result.failures.append(
        Finding(
          live.path.string.escaped,
          message:
            "nothing that came back is in the library, so that nothing was compared; make a backup first"))
    }
    try lookForLost(&result)
  }

  /// A photo that archive and library list, and whose file neither has: what comes back is not the library that somebody
  /// believes to have. Where the library has the file again, the next backup has it too.
  private func lookForLost(_ result: inout DrillResult) throws {
    guard !result.lostBefore.isEmpty else { return }
    let displayNames = Dictionary(uniqueKeysWithValues: contents.categories.map { ($0.id, $0.displayName) })
    // a number that has become free may be another photo's by now
    for photo in contents.photos where result.lostBefore[photo.id] == photo.createdAt {
      let label = PhotoLabel.label(
        id: photo.id, category: displayNames[photo.categoryId] ?? "", name: photo.name)
      if try live.holds(photo, whileReading: counter.checkCancellation) {
        result.notes.append(
          "\(label): the archive lacks it, and the library has it; the next backup has it too")
      } else {
        let reason = "its file was lost before the backup was made"
        result.damagedInLibrary.append(Finding(label, reason, remedy: .repairLibrary))
        result.lost += 1
      }
    }
  }

  /// Content in a category: what a photo is.
  private struct Key: Hashable {
    let category: String
    let md5: MD5Digest?

    init(_ photo: Photo, in names: [Int64: String]) {
      category = names[photo.categoryId] ?? ""
      md5 = photo.md5
    }
  }

  private func compare(
    _ photo: Photo, with original: Photo?, _ label: String, _ result: inout DrillResult
  ) throws {
    let copy = try scratch.open(photo)
    let header = try ImageHeader.read { offset, count throws(FileError) in try copy.read(count, at: offset) }
    if header.format != nil {
      result.images += 1
    } else {
      result.notes.append("\(label): no image that is known")
    }
    if header.width > 0, photo.width > 0, (header.width, header.height) != (photo.width, photo.height) {
      result.notes.append(
        "\(label): the image has \(header.width)×\(header.height) pixels, its row says \(photo.width)×\(photo.height)"
      )
    }
    guard let original else {
      if isCurrent {
        result.failures.append(Finding(label, "it came back, and the library does not have it"))
      } else {
        result.gone += 1
      }
      return
    }
    if try isEqual(copy, to: original) {
      result.proven += 1
    } else if try live.holds(original, whileReading: counter.checkCancellation) {
      result.failures.append(Finding(label, "what came back is not what is in the library, byte for byte"))
    } else {
      // what came back has the MD5 that the row says, or it would not have come
      result.damagedInLibrary.append(
        Finding(
          label, "its file in the library is not there, or not what it was", remedy: .repairLibrary))
    }
  }

  /// False too where the library's file cannot be read.
  private func isEqual(_ copy: borrowing File, to original: Photo) throws(FileError) -> Bool {
    do throws(FileError) {
      return try Self.areEqual(copy, live.open(original))
    } catch {
      if error.isShortage { throw error }
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
