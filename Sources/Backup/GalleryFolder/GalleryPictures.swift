import FileSystem
import Gallery
import Operations
import PhotoLibrary
import Pictures
import Synchronization
import SystemPackage

/// Writes the files of a gallery's photos: thumbnails of the library's cache, pictures that are drawn, and copies.
/// Writes only what the folder lacks.
final class GalleryPictures: Sendable {
  /// What the gallery has of a photo.
  private enum Outcome: Sendable {
    /// The files, and why no picture could be drawn.
    case shown(Files, PictureFault?)
    /// The photo is missing or corrupt.
    case missing(Finding)
  }

  /// The files of a photo.
  struct Files: Sendable {
    var thumbnail: (width: Int, height: Int)?
    var view = false
    var copy = false
  }

  /// The reader and the drawer of one thread.
  private struct Worker {
    let reader: PhotoReader
    let drawer: PictureDrawer
  }

  private let photos: GalleryPhotos
  private let folder: GalleryFolder
  private let originals: GalleryOriginals
  private let threads: Int
  private let counter: ProgressCounter
  /// What the cache knows about the photos.
  private let outlines: [FileContent: PictureCache.Outline]
  private let isCacheFull: Bool
  private let support = Mutex<PictureSupport?>(nil)
  private let drawn = Mutex(0)
  private let outcomes = Mutex<[Int: Outcome]>([:])

  init(
    of photos: GalleryPhotos, in folder: GalleryFolder, _ options: GalleryFolderOptions,
    _ counter: ProgressCounter
  ) {
    (self.photos, self.folder, self.originals, self.counter) = (photos, folder, options.originals, counter)
    threads = options.threads ?? PictureDrawer.poolSize
    outlines = photos.cache?.outlines() ?? [:]
    isCacheFull = photos.cache?.isFull ?? false
  }

  /// Writes the files, and adds what happened to the summary. Blocks.
  ///
  /// - Returns: the files of each photo that the gallery has, by the index of its item.
  /// - Throws: `HelperError` before anything is written if something must be drawn and nothing can be drawn;
  ///   `FileError`; `CancellationError`.
  func write(_ summary: inout GalleryFolderSummary) throws -> [Int: Files] {
    let items = photos.items
    if try items.contains(where: mustDraw) { _ = try foundSupport() }
    try folder.requireSpace(forCopies: items.filter(copies).map(\.content.size))
    try folder.makeFolders()
    counter.setTotals(items: items.count, bytes: items.saturatedSum(\.content.size))
    counter.enter(.drawing)
    defer { photos.cache?.flush() }
    // without the program, only a gallery that needs no picture is written
    let program = PictureDrawer.program()
    try Workers.forEach(
      items.indices, threads: threads,
      context: { [counter] in
        Worker(reader: PhotoReader(counter), drawer: PictureDrawer(program: program))
      }
    ) { [self] index, worker in
      try counter.checkCancellation()
      let outcome = try outcome(ofItem: index, worker)
      if case .missing(let finding) = outcome { counter.report(finding) }
      outcomes.withLock { $0[index] = outcome }
      counter.advance(items: 1, bytes: items[index].content.size, current: items[index].name)
    }
    try folder.publishFiles()
    return collect(&summary)
  }

  private func collect(_ summary: inout GalleryFolderSummary) -> [Int: Files] {
    var shown: [Int: Files] = [:]
    for (index, outcome) in outcomes.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      switch outcome {
      case .missing(let finding):
        summary.errors.append(finding)
        if let archive = photos.items[index].archive {
          summary.damagedArchives[archive] = finding.message
        }
      case .shown(let files, let fault):
        shown[index] = files
        guard let fault else { continue }
        fault.report(
          of: photos.items[index].label, undrawable: &summary.undrawable, failed: &summary.errors)
      }
    }
    summary.drawn = drawn.withLock { $0 }
    return shown
  }

  // MARK: What is needed

  private func copies(_ item: GalleryItem) -> Bool {
    originals == .copy && !folder.has(GalleryFile.copy(of: item))
  }

  /// Returns true if a click opens a drawn picture, provided that the photo can be drawn; nil if that depends on a
  /// photo that is not copied yet.
  ///
  /// - Parameter file: the copy of the photo; nil for that of an earlier run, if the folder has it.
  private func wantsView(_ item: GalleryItem, copy file: FilePath? = nil) throws -> Bool? {
    if originals == .none || !BrowserFormats.show(fileNamed: item.fileName) { return true }
    if let outline = outlines[item.content], outline.size != nil {
      return !BrowserFormats.show(outline.format)
    }
    let copy = GalleryFile.copy(of: item)
    return try (file ?? (folder.has(copy) ? FilePath(copy) : nil)).map {
      try !BrowserFormats.show(folder.format(of: $0))
    }
  }

  /// Returns true if neither the folder nor the cache has a needed picture. A recorded fault does not count: other
  /// decoders may be installed now.
  private func mustDraw(_ item: GalleryItem) throws -> Bool {
    if outlines[item.content]?.state != .drawn, !folder.has(GalleryFile.thumbnail(of: item)) { return true }
    return try wantsView(item) == true && !folder.has(GalleryFile.view(of: item))
  }

  private func foundSupport() throws -> PictureSupport {
    try support.withLock { support in
      let found = try support ?? PictureSupport.find(isCancelled: { counter.isCancelled })
      support = found
      return found
    }
  }

  /// Returns the fault of a photo that need not be tried again.
  private func knownFault(of item: GalleryItem) throws -> PictureFault? {
    guard let state = outlines[item.content]?.state, case .fault = state else { return nil }
    return state.fault(for: try foundSupport().decoders)
  }

  // MARK: Writing

  private func outcome(ofItem index: Int, _ worker: Worker) throws -> Outcome {
    let item = photos.items[index]
    var files = Files()
    files.thumbnail = try writtenThumbnail(of: item)
    let wanted = try wantsView(item)
    files.view = wanted == true && folder.has(GalleryFile.view(of: item))
    let hasCopy = folder.has(GalleryFile.copy(of: item))
    var fault = files.thumbnail == nil ? try knownFault(of: item) : nil
    let draws = fault == nil && (files.thumbnail == nil || wanted != false && !files.view)
    // a click opens the copy of a photo that cannot be drawn
    func needsCopy() -> Bool { originals == .copy || fault != nil && !files.view }
    guard draws || needsCopy() && !hasCopy else {
      files.copy = needsCopy()
      return .shown(files, fault)
    }

    let hidden = folder.hiddenName()
    do {
      if let found = try copy(item, to: hidden, worker.reader) {
        folder.remove(hidden)
        return .missing(item.finding(found))
      }
      if draws { fault = try draw(item, hidden, worker.drawer, &files) }
      files.copy = needsCopy()
      if files.copy, !hasCopy {
        try folder.publish(hidden, as: GalleryFile.copy(of: item), size: item.content.size)
      } else {
        folder.remove(hidden)
      }
    } catch {
      folder.remove(hidden)
      throw error
    }
    return .shown(files, fault)
  }

  /// Returns the dimensions of the thumbnail that the folder has, or that the cache has and this function writes.
  private func writtenThumbnail(of item: GalleryItem) throws -> (width: Int, height: Int)? {
    let file = GalleryFile.thumbnail(of: item)
    if let size = try folder.dimensions(of: file) { return size }
    guard outlines[item.content]?.state == .drawn,
      case .picture(let picture) = photos.cache?.entry(for: item.content)
    else { return nil }
    try folder.write(picture.jpeg, to: file)
    return (picture.width, picture.height)
  }

  /// Copies a photo to a file under a hidden name. The pictures are drawn from this copy, whose bytes no other program
  /// changes after they were compared with the checksum.
  ///
  /// - Returns: why the photo cannot be used.
  private func copy(
    _ item: GalleryItem, to hidden: FilePath, _ reader: PhotoReader
  ) throws -> PhotoFault? {
    let output = try folder.create(hidden, for: FilePath(GalleryFile.copy(of: item)))
    let content = item.content
    let outcome = try reader.read(item.bytes) { piece, offset in
      // a file that has grown needs no more space than the photo
      if offset < content.size { try output.write(piece, at: offset) }
    }
    return outcome.fault(unless: content.md5, size: content.size)
  }

  /// Draws what is missing.
  ///
  /// - Returns: why nothing can be drawn.
  private func draw(
    _ item: GalleryItem, _ hidden: FilePath, _ drawer: PictureDrawer, _ files: inout Files
  ) throws -> PictureFault? {
    // the helper gets a descriptor that cannot write
    let photo = try folder.open(hidden)
    if files.thumbnail == nil {
      switch try drawer.draw(.thumbnail, photo, isCancelled: { counter.isCancelled }) {
      case .success(let picture):
        if !isCacheFull { photos.cache?.store(.picture(picture), for: item.content) }
        try folder.write(picture.jpeg, to: GalleryFile.thumbnail(of: item))
        files.thumbnail = (picture.width, picture.height)
        drawn.withLock { $0 += 1 }
      case .failure(let found):
        let support = try foundSupport()
        let fault = support.fault(found, ofFileNamed: item.fileName)
        photos.cache?.store(
          .fault(fault, by: support.decoders, after: outlines[item.content]?.state), for: item.content)
        return fault
      }
    }
    guard !files.view, try wantsView(item, copy: hidden) == true else { return nil }
    // a gallery without copies has left it
    files.view = folder.has(GalleryFile.view(of: item))
    if files.view { return nil }
    switch try drawer.draw(.view, photo, isCancelled: { counter.isCancelled }) {
    case .success(let picture):
      try folder.write(picture.jpeg, to: GalleryFile.view(of: item))
      files.view = true
      drawn.withLock { $0 += 1 }
      return nil
    case .failure(let fault): return try foundSupport().fault(fault, ofFileNamed: item.fileName)
    }
  }
}
