import ArchiveCatalog
import Checksums
import FileSystem
import Foundation
import Gallery
import Operations
import PhotoLibrary
import Pictures
import SystemPackage

extension Work where Summary == GalleryFolderSummary {
  /// Starts writing a gallery of a library's photos as a folder, or brings such a folder up to date.
  ///
  /// A reader sees the earlier gallery or the new one, also after a failure or a kill; then the next run completes the
  /// new one. The folder belongs to the gallery: if it has other files, nothing is written. A cancelled run keeps the
  /// pictures that it has drawn; its folder has the earlier start page, or none.
  ///
  /// Files have mode 0600, and folders that the run creates 0700. While pictures are drawn, the folder has copies of
  /// photos under hidden names, with their metadata; a kill leaves them until the next run. Drawn thumbnails also go to
  /// the library's cache, unless it is full or cannot be written.
  ///
  /// The summary throws `GalleryFolderError`, `ExtractError`, `BackupError.notEnoughSpace`, `HelperError`,
  /// `LibraryError`, `OwnershipError`, `FileLock.Busy` or `FileError`.
  ///
  /// - Parameter folder: a gallery, an empty folder, or a missing folder whose parent exists.
  public static func gallery(
    ofLibrary library: FilePath, to folder: FilePath, options: GalleryFolderOptions = GalleryFolderOptions()
  ) -> Self {
    Work { counter in
      try GalleryFolderRun(folder: folder, options: options, counter: counter).run(library: library)
    }
  }

  /// Starts writing a gallery of an archive's photos, as `gallery(ofLibrary:to:options:)`. Draws all pictures that the
  /// folder lacks, since the thumbnails of an archive may show other photos.
  ///
  /// The summary also throws `BackupError` and `ArchiveError`.
  public static func gallery(
    ofArchive archive: FilePath, to folder: FilePath, options: GalleryFolderOptions = GalleryFolderOptions()
  ) -> Self {
    Work { counter in
      try GalleryFolderRun(folder: folder, options: options, counter: counter).run(archive: archive)
    }
  }
}

/// One run that writes a gallery's folder.
struct GalleryFolderRun {
  let folder: FilePath
  let options: GalleryFolderOptions
  let counter: ProgressCounter

  func run(library path: FilePath) throws -> GalleryFolderSummary {
    let library = try Library(path: path)
    return try library.withPhotoReadLock(
      lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock
    ) {
      try write(GalleryPhotos(library, options, whileWaiting: counter.reportWaitingForLock))
    }
  }

  func run(archive path: FilePath) throws -> GalleryFolderSummary {
    let observer = (options.ledger ?? Ledger()).observer(named: "gallery")
    let backup = try BackupOpener(
      counter: counter, limits: options.limits, password: options.password, ledger: options.ledger,
      observer: observer, photoExports: .opened, followsChains: true
    ).open(path)
    guard backup.format == .zip, backup.archive != nil else { throw GalleryFolderError.noPhotoFiles(path) }
    let photos = try GalleryPhotos(backup.completingChecksums(counter), options)
    let summary = try write(photos)
    observer.recordDamage(summary.damagedArchives)
    return summary
  }

  private func write(_ photos: GalleryPhotos) throws -> GalleryFolderSummary {
    let isNew = folder.realPath == nil
    do {
      let gallery = try GalleryFolder(
        folder, lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock)
      return try write(photos, in: gallery)
    } catch {
      if isNew, let name = folder.lastComponent {
        // fails if the run has left a file, which the next run needs
        _ = try? Directory.open(folder.folder).remove(FilePath(name.string), isDirectory: true)
      }
      throw error
    }
  }

  private func write(_ photos: GalleryPhotos, in folder: GalleryFolder) throws -> GalleryFolderSummary {
    var summary = GalleryFolderSummary()
    summary.warnings = [options.style.warning].compactMap(\.self) + photos.warnings
    (summary.errors, summary.assets) = (photos.missing, photos.assets)
    counter.report(photos.missing)
    let gallery: Gallery
    let pictures: [String]
    do {
      let files = try GalleryPictures(of: photos, in: folder, options, counter).write(&summary)
      let reported = Set(summary.errors.map(\.subject))
      summary.errors += photos.damaged.filter { !reported.contains($0.subject) }
      try counter.checkCancellation()
      counter.enter(.committing)
      gallery = self.gallery(of: photos, files)
      pictures = files.flatMap { Self.names(of: photos.items[$0], $1) }
      try write(gallery.pages.dropFirst(), in: folder)
    } catch let error as CancellationError {
      // the next run continues with the complete files
      try? folder.publishFiles()
      throw error
    } catch {
      folder.discard()
      throw error
    }
    // from here on, the start page may be the new one, so that a failure removes nothing
    let pages = gallery.pages
    try folder.commit(Array(pages[0].render().utf8))
    summary.filesRemoved = try folder.removeFiles(except: Set(pictures + pages.dropFirst().map(\.path)))
    (summary.photos, summary.categories) = (gallery.photoCount, gallery.categories.count)
    (summary.filesWritten, summary.bytesWritten) = folder.written
    summary.warnings += photos.cache?.notes ?? []
    return summary
  }

  /// Returns the gallery's pages with names that contain a digest of their content.
  private func gallery(of photos: GalleryPhotos, _ files: [Int: GalleryPictures.Files]) -> Gallery {
    let shown = photos.items.indices.compactMap { index in
      files[index].map { ListedPhoto(photos.items[index], $0) }
    }
    let date = options.date.map(Timestamp.init) ?? photos.date ?? .now
    let form: Gallery.Form =
      switch options.originals {
      case .none: .pictures
      case .copy: .originals
      }
    let plain = Gallery(
      photos.categories, shown, style: options.style, date: date, form: form, extent: photos.extent)
    var hash = RunningMD5()
    for page in plain.pages {
      var text = page.render()
      text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    }
    return Gallery(
      photos.categories, shown, style: options.style, date: date, form: form, extent: photos.extent,
      edition: String(hash.digest.description.prefix(16)))
  }

  private static func names(of item: GalleryItem, _ files: GalleryPictures.Files) -> [String] {
    [
      files.thumbnail.map { _ in GalleryFile.thumbnail(of: item) },
      files.view ? GalleryFile.view(of: item) : nil, files.copy ? GalleryFile.copy(of: item) : nil,
    ].compactMap(\.self)
  }

  private func write(_ pages: ArraySlice<Gallery.Page>, in folder: GalleryFolder) throws {
    for page in pages where !folder.has(page.path) {
      try folder.write(Array(page.render().utf8), to: page.path)
    }
    try folder.publishFiles()
  }
}

extension ListedPhoto {
  /// A click opens the drawn picture, or else the copy of the photo.
  fileprivate init(_ item: GalleryItem, _ files: GalleryPictures.Files) {
    let view = files.view ? GalleryFile.view(of: item) : nil
    let copy = files.copy ? GalleryFile.copy(of: item) : nil
    self.init(
      id: item.id, category: item.category, takenAt: item.takenAt, name: item.name,
      file: copy ?? view, view: copy == nil ? nil : view,
      thumbnail: files.thumbnail.map {
        Gallery.Thumbnail(GalleryFile.thumbnail(of: item), width: $0.width, height: $0.height)
      })
  }
}
