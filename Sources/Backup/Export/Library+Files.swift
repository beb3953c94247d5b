import ArchiveCatalog
import FileSystem
import Operations
import PhotoLibrary

/// The access of an export to the library's files.
extension Library {
  /// Returns the length and date of each photo's file, or why it cannot be archived.
  ///
  /// - Throws: an error that does not concern one photo: no more files can be opened, or a folder cannot be read.
  func files(of photos: [Photo]) throws(FileError) -> [Result<PhotoFile, MissingPhoto>] {
    let statuses = statuses(of: photos)
    for case .failure(let error) in statuses
    where error.cause == .environment || error.operation == "open" && error.errno == .ioError {
      throw error
    }
    return zip(photos, statuses).map { photo, status in
      switch status {
      case .success(let status) where status.kind == .file:
        .success(PhotoFile(size: status.size, modified: status.modified))
      case .success: .failure(MissingPhoto("\(photo.path.escaped) is not a file"))
      case .failure(let error): .failure(MissingPhoto(error.description))
      }
    }
  }

  /// Returns how the pipeline reads a photo.
  ///
  /// - Parameters:
  ///   - tags: the content tags of the library's photos; nil to compare only MD5s.
  ///   - modified: the entry's date, if the archive must not reveal the photo's.
  func pipelineItem(
    _ item: ExportPlan.Item, _ tags: ContentTags? = nil, modified: Int64? = nil
  ) -> PipelineItem {
    // captures only the path, since there is one closure for each photo
    let path = item.photo.path
    let expected = item.photo.md5.flatMap { md5 in
      tags?.expected(of: item.photo.id).map { TaggedContent(md5: md5, tag: $0.tag, key: $0.key) }
    }
    return PipelineItem(
      entryName: item.entryName, size: item.size, modified: modified ?? item.photo.createdAt,
      expected: expected
    ) {
      () throws(FileError) in try self.openPhoto(at: path)
    }
  }

  /// Returns the corrupt photos of a selection among those whose files were modified after a moment. Blocks; reads
  /// only those files.
  ///
  /// - Parameters:
  ///   - contents: the content of the library.
  ///   - moment: the date of the full archive that contains their intact files, in milliseconds since 1970; nil to read
  ///     every file.
  /// - Throws: `LibraryError`, `BackupError`, `FileError`, or `CancellationError`.
  public func corruptPhotos(
    in contents: LibraryContents, modifiedAfter moment: Int64?, _ options: ExportOptions,
    _ counter: ProgressCounter
  ) throws -> [Finding] {
    let plan = try ExportPlan(contents, options, files: files(of:))
    let photos = moment.map(plan.photosToRecheck(modifiedAfter:)) ?? plan.items.map(\.photo)
    return try corruptPhotos(among: photos, contentTags(), isInBase: moment != nil, of: plan, counter)
  }

  /// - Parameter isInBase: true if the base contains an intact file of each photo.
  func corruptPhotos(
    among photos: [Photo], _ tags: ContentTags, isInBase: Bool, of plan: ExportPlan,
    _ counter: ProgressCounter
  ) throws -> [Finding] {
    try photos.compactMap { photo in
      let state = try stateOfFile(
        of: photo, tag: tags.expected(of: photo.id), whileReading: counter.checkCancellation)
      let reason: String
      switch state {
      case .intact: return nil
      case .exchanged: reason = "\(ItemReason.exchanged)"
      case .missingOrCorrupt: reason = "it is corrupt in the library"
      }
      return Finding(
        plan.label(photo), isInBase ? "\(reason); the base contains an intact file" : reason,
        remedy: .repairLibrary)
    }
  }

  /// Returns true if an export selects photos that were added after an archive was made. With the content fingerprint
  /// of the archive, such a photo has the row and the MD5 of a photo in it, but may have other bytes. Blocks.
  package func hasPhotos(addedAfter archive: ArchiveDescriptor, _ options: ExportOptions) throws -> Bool {
    guard let added = try photosAdded(sinceArchive: archive.exportIDs), !added.isEmpty else { return false }
    return try ExportPlan(contents(), options, files: files(of:)).photos.contains { added.contains($0.id) }
  }

  /// Records exports in the library.
  ///
  /// - Returns: a warning if that fails, since the archives are published anyway.
  func recordExports(_ exports: [ExportRecord]) -> String? {
    do {
      try note(exports)
      return nil
    } catch {
      return "the library could not record the backup: \(error)"
    }
  }
}
