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
  /// The sizes of the pictures, by the contents of their photos.
  let sizes: (thumbnails: [FileContent: PictureSize], views: [FileContent: PictureSize])
  /// The contents of the photos for which the caches were filled.
  private let contents: Set<FileContent>

  /// Draws what the caches lack. If a cache cannot be written, the pictures exist as long as this value. Blocks.
  ///
  /// Fills the caches for all photos of the library, also those that the options leave out or that the base has.
  /// `warnings` lists such photos, too, if they have no picture.
  ///
  /// - Throws: `HelperError` if something is to be drawn and this machine cannot draw. `CacheNotWritable` if
  ///   neither a cache nor the temporary file can be written. `OwnershipError` if another user can change a cache.
  ///   `FileLock.Busy` if another process clears the cache or deletes photo files. `LibraryError`, `FileError` and
  ///   `CancellationError`.
  init(of library: Library, _ options: ExportOptions, _ counter: ProgressCounter) throws {
    var run = CacheFillRun(path: library.path, counter: counter)
    (run.keepsTemporarily, run.lockWait) = (true, options.lockWait)
    let drawn = try run.run()
    thumbnails = drawn.cache
    contents = Set(drawn.contents.photos.compactMap(\.content))
    var missing = (drawn.summary.undrawable + drawn.summary.failed).map {
      "\($0.message); the archive has no thumbnail of it"
    }
    let full = drawn.summary.noteOfFullCache { "the archive has no thumbnail of \(Count($0, "photo"))" }
    var notes = drawn.summary.notes + [full].compactMap(\.self)
    let outlines = thumbnails.outlines()
    let isHidden = { @Sendable (photo: Photo) in Self.isHidden(photo, outlines) }
    if options.gallery != nil, drawn.contents.photos.contains(where: isHidden) {
      counter.begin(0...1)
      (run.kind, run.selects) = (.view, isHidden)
      let views = try run.run()
      self.views = views.cache
      let known = Set((drawn.summary.undrawable + drawn.summary.failed).map(\.subject))
      missing += (views.summary.undrawable + views.summary.failed)
        .filter { !known.contains($0.subject) }.map(\.message)
      let full = views.summary.noteOfFullCache {
        "a click in the gallery opens the file of \(Count($0, "photo"))"
      }
      notes += views.summary.notes.filter { !notes.contains($0) } + [full].compactMap(\.self)
    } else {
      views = nil
    }
    warnings = notes + missing
    sizes = (outlines.compactMapValues(\.size), views?.outlines().compactMapValues(\.size) ?? [:])
    counter.begin(0...1)
    counter.enter(.planning)
  }

  /// Returns false if one of these photos was added since the pictures were drawn.
  func include(_ photos: [Photo]) -> Bool {
    photos.allSatisfy { $0.content.map(contents.contains) ?? true }
  }

  /// Returns true if browsers do not show the file of a photo.
  ///
  /// - Parameter thumbnails: what the cache of thumbnails knows about the photos.
  private static func isHidden(_ photo: Photo, _ thumbnails: [FileContent: PictureCache.Outline]) -> Bool {
    guard BrowserFormats.show(fileNamed: photo.fileName) else { return true }
    guard let outline = photo.content.flatMap({ thumbnails[$0] }), outline.size != nil else { return false }
    return !BrowserFormats.show(outline.format)
  }

  /// Returns the sizes of the pictures that an export would add: those of the caches, and usual sizes for pictures that
  /// are not drawn yet. Draws nothing, and reads no picture. Blocks.
  static func forecast(
    of library: Library, _ contents: LibraryContents, _ options: ExportOptions
  ) throws -> (thumbnails: [FileContent: PictureSize], views: [FileContent: PictureSize]) {
    func sizes(
      _ known: [FileContent: PictureCache.Outline], _ expected: PictureSize, of photos: [Photo]
    ) -> [FileContent: PictureSize] {
      let sizes = photos.compactMap(\.content).compactMap { content -> (FileContent, PictureSize)? in
        if case .fault = known[content]?.state { return nil }
        return (content, known[content]?.size ?? expected)
      }
      return Dictionary(sizes, uniquingKeysWith: { first, _ in first })
    }
    let drawn = try PictureCache.outlines(of: .thumbnail, in: library)
    let thumbnails = sizes(drawn, PictureSize(width: 300, height: 225, bytes: 20_000), of: contents.photos)
    guard options.gallery != nil else { return (thumbnails, [:]) }
    return (
      thumbnails,
      sizes(
        try PictureCache.outlines(of: .view, in: library),
        PictureSize(width: 1600, height: 1200, bytes: 300_000),
        of: contents.photos.filter { isHidden($0, drawn) })
    )
  }
}
