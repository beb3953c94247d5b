import Backup
import Checksums
import Foundation
import SystemPackage
import TestSupport

/// The folder to which photos are extracted.
extension Scene {
  var extracted: FilePath { folder.appending("Extracted") }

  private static let earlier = Array("an earlier edition".utf8)

  /// Writes a file at the path of one photo, and another file beside it.
  func prepareExtracted() throws {
    let folder = extracted.appending("Family")
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    for name in ["IMG_2.jpg", "mine.jpg"] {
      try Data(Self.earlier).write(to: URL(fileURLWithPath: folder.appending(name).string))
    }
  }

  /// Returns files that are neither intact photos of the backup nor earlier files. With `isComplete`, also returns
  /// missing photos and hidden files.
  func faultsOfExtracted(isComplete: Bool) throws -> [String] {
    var missing: [MD5Digest: Int] = [:]
    for photo in try OpenedBackup(path: backup).photos {
      if let md5 = photo.location.md5 { missing[md5, default: 0] += 1 }
    }
    var faults: [String] = []
    let tree = try FolderTree(extracted)
    for path in tree.fileNames {
      let bytes = tree.files[path] ?? []
      if path.contains("/.") {
        if isComplete { faults.append("extracted: \(path) is left behind") }
        continue
      }
      let isEarlier =
        bytes == Self.earlier && (path == "Family/mine.jpg" || path == "Family/IMG_2.jpg" && !isComplete)
      if isEarlier { continue }
      guard let left = missing[MD5Digest(of: bytes)], left > 0 else {
        faults.append("extracted: \(path) is no whole photo")
        continue
      }
      missing[MD5Digest(of: bytes)] = left - 1
    }
    if tree.files["Family/mine.jpg"] != Self.earlier { faults.append("extracted: mine.jpg was touched") }
    if isComplete, missing.values.contains(where: { $0 > 0 }) {
      faults.append("extracted: not all photos are there")
    }
    return faults
  }
}
