import Checksums
import PhotoLibrary

/// The MD5 of what an export selects, computed from the plan. Two exports with equal fingerprints are equal archives
/// apart from dates and IDs, or chains that restore the same. A file that is missing or modified when the export is
/// planned changes the fingerprint, and so does encryption. A file that cannot be read later does not change it.
struct ContentFingerprint: Sendable, CustomStringConvertible {
  private let digest: MD5Digest

  var description: String { digest.description }

  init(of plan: ExportPlan) {
    var digest = RunningMD5()
    plan.contentDocument.write(photos: EmptyCollection(), manifest: EmptyCollection()) { digest.update($0) }
    var record: [UInt8] = []
    func add(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { record += $0 } }
    func add(_ text: String) {
      add(Int64(text.utf8.count))
      record += text.utf8
    }
    for photo in plan.photos {
      record.removeAll(keepingCapacity: true)
      add(photo.id)
      add(photo.categoryId)
      add(photo.createdAt.rawValue)
      add(Int64(photo.fileSize))
      add(Int64(photo.width))
      add(Int64(photo.height))
      add(
        (photo.isFromAssets ? 1 : 0) | (photo.shipsWithApp ? 2 : 0)
          | (photo.isFavorite.map { $0 ? 4 : 8 } ?? 0))
      add(photo.name)
      add(photo.originalPath)
      // the path of an asset belongs to the app; the path of a file is private to the library
      add(photo.isFromAssets ? photo.path : photo.md5?.description ?? "")
      record.withUnsafeBytes { digest.update($0) }
    }
    record = [plan.isEncrypted ? 1 : 0]
    for photo in plan.missing { add(photo.photo.id) }
    for modified in plan.modifiedFiles {
      add(modified.photo.id)
      add(Int64(modified.file.size))
      add(modified.file.modified.rawValue)
    }
    record.withUnsafeBytes { digest.update($0) }
    self.digest = digest.digest
  }
}
