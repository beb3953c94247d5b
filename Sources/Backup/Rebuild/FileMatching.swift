import PhotoLibrary
import SystemPackage

/// Finds the files of photos, each for at most one photo.
struct FileMatching {
  private let scan: PhotoScan
  private let byContent: [FileContent: [Int]]
  private var isUsed: [Bool]
  /// The unreadable files in the places of photos.
  private var unreadable: Set<FilePath> = []

  init(_ scan: PhotoScan) {
    self.scan = scan
    byContent = Dictionary(grouping: scan.files.indices) { scan.files[$0].content }
    isUsed = Array(repeating: false, count: scan.files.count)
  }

  /// The files that belong to no photo.
  var unused: [Int] { isUsed.indices.filter { !isUsed[$0] } }

  /// Finds the files of those photos that have none, by content.
  ///
  /// - Parameter byPath: true if the rows state the paths of their files. Otherwise the names and dates of the photos tell
  ///   the likely paths.
  mutating func match(_ rows: inout [RebuildPlan.Row], byPath: Bool) {
    let open = rows.indices.filter { rows[$0].state == .missing }
    var wanted: [FileContent: Int] = [:]
    for index in open { if let content = rows[index].photo.content { wanted[content, default: 0] += 1 } }
    for likeness in Likeness.allCases {
      for index in open where rows[index].state == .missing {
        guard let content = rows[index].photo.content, let files = byContent[content] else { continue }
        let free = files.filter { !isUsed[$0] }
        // most contents have one photo and one file, which need no choice
        let isOnly = free.count == 1 && wanted[content] == 1
        guard let file = isOnly ? free[0] : choice(among: free, for: rows[index].photo, likeness, byPath)
        else {
          continue
        }
        isUsed[file] = true
        rows[index].state = .found(file)
        rows[index].photo.path = scan.files[file].path
      }
    }
  }

  /// How much the path of a file is like that of a photo.
  private enum Likeness: CaseIterable { case samePath, sameName, any }

  private func choice(
    among files: [Int], for photo: Photo, _ likeness: Likeness, _ byPath: Bool
  ) -> Int? {
    guard !files.isEmpty else { return nil }
    let expected = ExpectedPath(of: photo)
    switch likeness {
    case .samePath:
      let path = byPath ? photo.path : expected.path
      return files.first { scan.files[$0].path.utf8.elementsEqual(path.utf8) }
    case .sameName:
      return files.compactMap { file in expected.number(of: scan.files[file].path).map { (file, $0) } }
        .min { $0.1 < $1.1 }?.0
    case .any: return files.first
    }
  }

  /// Looks at the places of those photos that have no file with their content. A file in such a place that belongs to no
  /// photo is a corrupt version of the photo.
  mutating func findObstructions(_ rows: inout [RebuildPlan.Row]) {
    let missing = rows.indices.filter { rows[$0].state == .missing }
    guard !missing.isEmpty else { return }
    let byPath = Dictionary(
      scan.files.indices.map { (FilePath(scan.files[$0].path), $0) }, uniquingKeysWith: { first, _ in first })
    for index in missing {
      let photo = rows[index].photo
      let path = photo.path.isEmpty ? ExpectedPath(of: photo).path : photo.path
      guard photo.content != nil else { continue }
      if let file = byPath[FilePath(path)], !isUsed[file] {
        isUsed[file] = true
        rows[index].state = .corrupt(file)
      } else if scan.unreadable[FilePath(path)] != nil, unreadable.insert(FilePath(path)).inserted {
        rows[index].state = .unreadable
      } else {
        // the reconstruction chooses a path unless the one in the damaged database is a valid one
        if !photo.hasValidPath { rows[index].photo.path = "" }
        continue
      }
      rows[index].photo.path = path
    }
  }
}
