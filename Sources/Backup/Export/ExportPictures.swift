import FileSystem
import Gallery
import Operations
import PhotoLibrary
import Pictures

/// The pictures of a library's photos for an archive. Drawn before the archive is begun, so that nothing slows it down.
struct ExportPictures {
  /// The cache of the thumbnails.
  let thumbnails: PictureCache
  /// The cache of the pictures that a click in the gallery opens; nil if browsers show all photos.
  let views: PictureCache?
  /// Photos without pictures, and what the user should know about the caches.
  let warnings: [String]

  /// Draws what the caches lack. If a cache cannot be written, the pictures exist as long as this value. Blocks.
  ///
  /// Fills the caches for all photos of the library, also those that the options leave out or that the base has.
  /// `warnings` lists such photos, too, if they have no picture.
  ///
  /// - Throws: `PictureSupportError` if something is to be drawn and this machine cannot draw; `CacheNotWritable` if
  ///   neither a cache nor the temporary file can be written; `OwnershipError` if another user can change a cache;
  ///   `LibraryError`; `FileLock.Busy` if another process clears the cache or deletes photo files; `FileError`;
  ///   `CancellationError`.
  init(of library: Library, _ options: ExportOptions, _ counter: ProgressCounter) throws {
    var run = CacheFillRun(path: library.path, counter: counter)
    (run.keepsTemporarily, run.lockWait) = (true, options.lockWait)
    let drawn = try run.run()
    thumbnails = drawn.cache
    var missing = (drawn.summary.undrawable + drawn.summary.failed).map {
      "\($0.message); the archive has no thumbnail of it"
    }
    let full = drawn.summary.noteOfFullCache { "the archive has no thumbnail of \(Count($0, "photo"))" }
    var notes = drawn.summary.notes + [full].compactMap(\.self)
    let isHidden = { @Sendable (photo: Photo) in !BrowserFormats.show(fileNamed: photo.fileName) }
    if options.gallery != nil, try library.contents().photos.contains(where: isHidden) {
      counter.begin(0...1)
      (run.kind, run.selects) = (.view, isHidden)
      let views = try run.run()
      self.views = views.cache
      let known = Set((drawn.summary.undrawable + drawn.summary.failed).map(\.message))
      missing += (views.summary.undrawable + views.summary.failed).map(\.message).filter {
        !known.contains($0)
      }
      let full = views.summary.noteOfFullCache {
        "a click in the gallery opens the file of \(Count($0, "photo"))"
      }
      notes += views.summary.notes.filter { !notes.contains($0) } + [full].compactMap(\.self)
    } else {
      views = nil
    }
    warnings = notes + missing
    counter.begin(0...1)
    counter.enter(.planning)
  }

  /// Returns the sizes of the pictures that an export would add: those of the caches, and usual sizes for pictures that
  /// are not drawn yet. Draws nothing, and reads no picture. Blocks.
  static func forecast(
    of library: Library, _ contents: LibraryContents, _ options: ExportOptions
  ) throws -> (thumbnails: [FileContent: PictureSize], views: [FileContent: PictureSize]) {
    func sizes(
      _ kind: CachedPicture, _ expected: PictureSize, of photos: [Photo]
    ) throws -> [FileContent: PictureSize] {
      guard !photos.isEmpty else { return [:] }
      let known = try PictureCache.sizes(of: kind, in: library)
      let sizes = photos.compactMap(\.content).compactMap { content -> (FileContent, PictureSize)? in
        if case .fault = known[content]?.state { return nil }
        return (content, known[content]?.size ?? expected)
      }
      return Dictionary(sizes, uniquingKeysWith: { first, _ in first })
    }
    let hidden = contents.photos.filter { !BrowserFormats.show(fileNamed: $0.fileName) }
    return try (
      sizes(.thumbnail, PictureSize(width: 300, height: 225, bytes: 20_000), of: contents.photos),
      sizes(
        .view, PictureSize(width: 1600, height: 1200, bytes: 300_000),
        of: options.gallery == nil ? [] : hidden)
    )
  }
}
