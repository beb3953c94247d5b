import Checksums
import Foundation
import Operations
import PhotoLibrary

extension ExportSummary {
  /// What an export would hold of a library, and its state: as a dry run says it, wherever the archive would go. Blocks;
  /// writes nothing.
  ///
  /// - Parameters:
  ///   - contents: what the library holds; with `Library.withPhotoReadLock` it still does.
  ///   - library: the library.
  ///   - options: how the export is made.
  /// - Throws: `LibraryError`, `BackupError`, or `FileError`.
  public init(planning contents: LibraryContents, of library: Library, _ options: ExportOptions) throws {
    let plan = try ExportPlan(contents, options, files: library.files(of:))
    self.init(of: plan)
    isDryRun = true
    state = plan.state().description
  }
}

extension Library {
  /// The photos of a selection whose bytes are no longer those that came into the library, as far as somebody has
  /// touched their files after a moment: for whoever has archives with all of them from then. Blocks; reads what was
  /// touched, and nothing else.
  ///
  /// - Parameters:
  ///   - contents: what the library holds.
  ///   - moment: in milliseconds since 1970; nil for reading them all.
  /// - Throws: `LibraryError`, `BackupError`, `FileError`, or `CancellationError`.
  public func damaged(
    in contents: LibraryContents, touchedAfter moment: Int64?, _ options: ExportOptions,
    _ counter: ProgressCounter
  ) throws -> [Finding] {
    let plan = try ExportPlan(contents, options, files: files(of:))
    let photos = moment.map(plan.suspects) ?? plan.items.map(\.photo)
    return try damaged(among: photos, of: plan, counter)
  }

  func damaged(among photos: [Photo], of plan: ExportPlan, _ counter: ProgressCounter) throws -> [Finding] {
    try photos.filter { try !holds($0, whileReading: counter.checkCancellation) }.map {
      Finding(
        plan.label($0),
        "its bytes have changed since it came into the library; an archive before this one holds it")
    }
  }
}

extension ExportPlan {
  /// A number for all that was selected, whoever exports it and whenever: two exports with equal states would be
  /// equal archives, but for their dates, or chains that end in equals, as far as the photos can be read. A photo whose
  /// file is missing in the library, or was touched since it came, makes another state, and so does encryption.
  func state() -> MD5Digest {
    var digest = RunningMD5()
    var plan = self
    plan.base = nil
    var document = plan.document(uuid: UUID(), exportDate: 0)
    document.appVersion = ""
    document.smilepile?.uuid = ""
    document.smilepile?.library = nil
    document.smilepile?.tags = []
    // where the files are, and how they were chosen, is not what they are
    document.smilepile?.selection = nil
    document.smilepile?.part = nil
    document.write(photos: EmptyCollection(), manifest: EmptyCollection()) { digest.update($0) }
    var record: [UInt8] = []
    func add(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { record += $0 } }
    func add(_ text: String) {
      add(Int64(text.utf8.count))
      record += text.utf8
    }
    for photo in photos {
      record.removeAll(keepingCapacity: true)
      add(photo.id)
      add(photo.categoryId)
      add(photo.createdAt)
      add(Int64(photo.fileSize))
      add(Int64(photo.width))
      add(Int64(photo.height))
      add(
        (photo.isFromAssets ? 1 : 0) | (photo.shipsWithApp ? 2 : 0)
          | (photo.isFavorite.map { $0 ? 4 : 8 } ?? 0))
      add(photo.name)
      add(photo.originalPath)
      // an asset's place in the app; where a file lies in the library is nobody else's concern
      add(photo.isFromAssets ? photo.path : photo.md5?.description ?? "")
      record.withUnsafeBytes { digest.update($0) }
    }
    record = [isEncrypted ? 1 : 0]
    for photo in missing { add(photo.photo.id) }
    for photo in touched {
      add(photo.id)
      add(Int64(photo.file.size))
      add(photo.file.modified)
    }
    record.withUnsafeBytes { digest.update($0) }
    return digest.digest
  }
}
