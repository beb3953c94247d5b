internal import FileSystem
package import Operations
internal import PhotoLibrary
package import Pictures
package import SystemPackage

/// The result of writing a catalogue.
package struct CatalogueSummary: Sendable, Equatable, FindingReport {
  /// The file.
  package let path: FilePath
  /// The length of the file in bytes.
  package internal(set) var bytes = 0
  /// The number of pages.
  package internal(set) var pages = 0
  /// The number of photos.
  package internal(set) var photos = 0
  /// The number of categories that have photos.
  package internal(set) var categories = 0
  /// The number of photos that are shown as an empty tile.
  package internal(set) var tiles = 0
  /// What was drawn for it.
  package internal(set) var fill: CacheFillSummary
  /// All photos that are corrupt or missing, or that the decoder does not draw. The file has the thumbnails of those that
  /// the cache has.
  package internal(set) var failed: [Finding]
  /// The number of different characters that no installed font has.
  package internal(set) var missingCharacters = 0
  /// What the user should know.
  package internal(set) var warnings: [String] = []

  /// The photos that should have a picture and have none.
  package var findings: [Finding] { failed }
}

extension Work where Summary == CatalogueSummary {
  /// Starts writing a catalogue of a library's photos, a PDF. Draws the thumbnails that the cache lacks first.
  ///
  /// The file appears when it is complete and durable, with mode 0600, and never replaces a file. Until then a failure, a
  /// cancellation or a kill leaves only thumbnails in the cache.
  ///
  /// The summary throws `HelperError` if this machine cannot write catalogues or draw pictures,
  /// `CatalogueError`, `CacheNotWritable`, `LibraryError`, `FileLock.Busy` or `FileError`.
  package static func catalogue(
    of library: FilePath, to path: FilePath, options: CatalogueOptions = CatalogueOptions()
  ) -> Self {
    Work { counter in
      try CatalogueRun(libraryPath: library, path: path, options: options, counter: counter).run()
    }
  }
}

/// One run that writes a catalogue.
struct CatalogueRun {
  let libraryPath: FilePath
  let path: FilePath
  let options: CatalogueOptions
  let counter: ProgressCounter

  func run() throws -> CatalogueSummary {
    let library = try Library(path: libraryPath)
    let name = try checkedName()
    // before thumbnails are drawn, which may take long
    let helper = try CatalogueHelper(isCancelled: { counter.isCancelled })
    // no photo is deleted until all are drawn
    return try library.withPhotoReadLock(
      lockWait: options.lockWait, whileWaiting: counter.reportWaitingForLock
    ) {
      try run(library, name, helper)
    }
  }

  private func run(
    _ library: Library, _ name: FilePath, _ helper: CatalogueHelper
  ) throws -> CatalogueSummary {
    let title = libraryPath.absolute.lastComponent?.string ?? "Photos"
    let contents = try library.contents()
    let catalogue = try Catalogue(title: title, contents, options)
    let selected = Set(catalogue.sections.flatMap { $0.photos.compactMap(\.content) })
    counter.begin(0...0.5)
    var run = CacheFillRun(path: library.path, counter: counter)
    (run.keepsTemporarily, run.lockWait) = (true, options.lockWait)
    run.selects = { photo in photo.content.map(selected.contains) ?? false }
    let filled = try run.run()
    let fill = filled.summary
    counter.begin(0.5...1)
    var summary = CatalogueSummary(path: path, fill: fill, failed: fill.failed)
    let reported = Set(fill.failed.map(\.subject))
    summary.failed += try library.alteredFiles(of: options.photos(of: contents), in: contents)
      .filter { !reported.contains($0.subject) }
    summary.warnings = fill.notes + [fill.noteOfFullCache].compactMap(\.self)
    (summary.photos, summary.categories) = (catalogue.photoCount, catalogue.sections.count)
    let shown: Set<FileContent>
    do {
      shown = try write(catalogue, filled.cache, with: helper, as: name, &summary)
    } catch let fault as CatalogueFault {
      throw CatalogueError.incomplete(path, fault.reason)
    } catch let error as FileError where error.errno == .noSuchFileOrDirectory {
      throw CatalogueError.noFolder(path.folder)
    }
    let lost = fill.drawn + fill.cached - shown.count
    if lost > 0 {
      summary.failed.append(
        Finding(
          .file(path.string),
          message:
            "\(path) lacks \(Count(lost, "picture")) that the cache had before; write the catalogue again"))
    }
    return summary
  }

  /// Returns the file name, which must be free. Another process may take it later.
  private func checkedName() throws -> FilePath {
    guard let file = path.fileName else { throw CatalogueError.noName(path) }
    guard path.folder.realPath != nil else { throw CatalogueError.noFolder(path.folder) }
    let folder = try Directory.open(path.folder)
    AtomicFile.sweep(folder)
    guard try folder.status(of: file) == nil else { throw CatalogueError.exists(path) }
    try Library.requireOutside(path)
    return file
  }

  /// Writes and publishes the file. Returns the contents whose pictures it has.
  private func write(
    _ catalogue: Catalogue, _ cache: PictureCache, with helper: CatalogueHelper, as name: FilePath,
    _ summary: inout CatalogueSummary
  ) throws -> Set<FileContent> {
    let layout = CatalogueLayout(catalogue, options)
    counter.setTotals(items: summary.photos, bytes: 0)
    counter.enter(.writing)
    let output = try AtomicFile(name, in: path.folder)
    var shown: Set<FileContent> = []
    var tiles = 0
    let reply = try helper.write(to: output.file, isCancelled: { counter.isCancelled }) { pass in
      try layout.draw(
        picture: { photo in
          try counter.checkCancellation()
          counter.advance(items: 1, current: photo.name)
          guard let content = photo.content, let picture = Self.picture(of: content, in: cache) else {
            tiles += 1
            return nil
          }
          shown.insert(content)
          return picture
        }, pass)
    }
    summary.tiles = tiles
    addWarning(of: reply.missing, to: &summary)
    counter.enter(.verifying)
    let document = try PDFFile(output.file)
    guard document.pageCount == layout.pageCount, reply.pages == layout.pageCount else {
      throw CatalogueFault(
        "the written file has \(Count(document.pageCount, "page")), not \(layout.pageCount)")
    }
    try document.removeRepeatedNames(in: output.file)
    (summary.pages, summary.bytes) = (document.pageCount, document.bytes)
    try counter.checkCancellation()
    counter.enter(.committing)
    guard let (_, durability) = try output.publish(as: [name]) else { throw CatalogueError.exists(path) }
    if case .unknown(let error) = durability {
      summary.warnings.append("\(path) is published, but may be lost in a power failure: \(error)")
    }
    return shown
  }

  private static func picture(of content: FileContent, in cache: PictureCache) -> Picture? {
    // another process may have drawn so many pictures meanwhile that this one was removed
    guard case .picture(let picture) = cache.entry(for: content),
      picture.jpeg.count <= DocumentCommand.mostImageBytes,
      (1...DocumentCommand.mostPixels).contains(picture.width),
      (1...DocumentCommand.mostPixels).contains(picture.height)
    else { return nil }
    return picture
  }

  private func addWarning(
    of missing: (count: Int, characters: [Unicode.Scalar]), to summary: inout CatalogueSummary
  ) {
    summary.missingCharacters = missing.count
    guard missing.count > 0 else { return }
    let numbers = missing.characters.map { character in
      let digits = String(character.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
    let rest = missing.count > numbers.count ? " and others" : ""
    summary.warnings.append(
      "no font has \(Count(missing.count, "character")) of the names (\(numbers.joined(separator: ", "))\(rest)); "
        + "apt install fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji")
  }
}
