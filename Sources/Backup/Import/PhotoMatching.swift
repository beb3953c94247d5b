import Checksums
import PhotoLibrary

/// What makes two photos the same: equal content in one category; for an asset of the app, its path there.
enum PhotoIdentity: Hashable {
  case file(MD5Digest, size: Int, category: Int64)
  case asset(path: String, category: Int64)

  init(_ photo: Photo) {
    if let md5 = photo.md5 {
      self = .file(md5, size: photo.fileSize, category: photo.categoryId)
    } else {
      self = .asset(path: photo.path, category: photo.categoryId)
    }
  }
}

/// Matches each photo of a backup with at most one photo of the library: first those whose rows are equal, then
/// those of equal name, then any of the same identity. Three passes over both, whatever they hold.
///
/// Photos that the backup does not hold come after all that it holds, and get what is left: otherwise one could
/// take the match of a photo that is there, which would be added once more with every import.
enum PhotoMatching {
  /// How alike two photos of one identity have to be.
  private struct Key: Hashable {
    enum Likeness: CaseIterable { case values, name, identity }

    var identity: PhotoIdentity
    var name: String?
    var originalPath: String?
    var numbers: [Int64] = []

    init(_ photo: Photo, _ likeness: Likeness) {
      identity = PhotoIdentity(photo)
      guard likeness != .identity else { return }
      name = photo.name
      guard likeness == .values else { return }
      originalPath = photo.originalPath
      numbers = [photo.createdAt, Int64(photo.width), Int64(photo.height)]
    }
  }

  /// Which of `incoming` (by index) is matched with which photo of the library.
  static func match(
    _ incoming: [Photo], with existing: [Photo], isAbsent: (Int) -> Bool
  ) -> [Int: Photo] {
    var matches: [Int: Photo] = [:]
    var isTaken = [Bool](repeating: false, count: existing.count)
    let absent = incoming.indices.filter(isAbsent)
    let present = absent.isEmpty ? Array(incoming.indices) : incoming.indices.filter { !isAbsent($0) }
    for group in [present, absent] where !group.isEmpty {
      for likeness in Key.Likeness.allCases {
        var free: [Key: [Int]] = [:]
        for index in existing.indices.reversed() where !isTaken[index] {
          free[Key(existing[index], likeness), default: []].append(index)
        }
        for index in group where matches[index] == nil {
          guard let found = free[Key(incoming[index], likeness)]?.popLast() else { continue }
          matches[index] = existing[found]
          isTaken[found] = true
        }
      }
    }
    return matches
  }
}
