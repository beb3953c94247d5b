import Checksums
internal import FileSystem
package import Operations
package import PhotoLibrary
import Synchronization
package import SystemPackage

/// One run that fills a cache.
package struct CacheFillRun {
  let path: FilePath
  let counter: ProgressCounter
  /// The most bytes of the cache.
  var limit = PictureCache.mostBytes
  /// What is drawn.
  package var kind = CachedPicture.thumbnail
  /// Returns true for the photos to draw.
  package var selects: @Sendable (Photo) -> Bool = { _ in true }
  /// What the cache should have of each photo.
  package var need = Need.pictures
  /// How long to wait for a process that clears the cache or deletes photo files.
  package var lockWait = Library.readersWait
  /// True to draw also if the cache cannot be written, and to keep the pictures as long as the cache is open.
  package var keepsTemporarily = false

  /// What a run is for.
  package enum Need: Sendable {
    /// Pictures. A full cache keeps no more of them.
    case pictures
    /// The fingerprints of thumbnails, which a full cache keeps without the thumbnails.
    case fingerprints
  }

  /// Prepares a run for a caller with a thread and a counter of its own, such as an export.
  package init(path: FilePath, counter: ProgressCounter, limit: Int = PictureCache.mostBytes) {
    (self.path, self.counter, self.limit) = (path, counter, limit)
  }

  /// A photo to draw.
  private struct Item {
    let photo: Photo
    let content: FileContent
    /// What the cache knows about it.
    let state: PictureCache.State?
  }

  /// The plan: one photo for each content.
  private struct Plan {
    var photos: [Item] = []
    var cached = 0
    var count = 0
    /// Photos that these decoders did not draw before.
    var faults: [(photo: Photo, fault: PictureFault)] = []
  }

  /// What a run yields.
  package struct Result {
    package let summary: CacheFillSummary
    /// The open cache.
    package let cache: PictureCache
    /// The contents of the library for which the cache was filled.
    package let contents: LibraryContents
  }

  /// Draws all pictures that the cache lacks. Blocks; throws what the summary of `Work.fillCache` throws. Starts no
  /// helper if nothing is to be drawn. No other process deletes photo files during the run.
  package func run() throws -> Result {
    counter.enter(.planning)
    let library = try Library(path: path)
    return try library.withPhotoReadLock(
      lockWait: lockWait, whileWaiting: counter.reportWaitingForLock
    ) {
      try run(library)
    }
  }

  private func run(_ library: Library) throws -> Result {
    let contents = try library.contents()
    let states = try PictureCache.verifiedStates(of: kind, in: library, counter)
    counter.enter(.planning)
    let isComplete = contents.photos.filter(selects).compactMap(\.content).allSatisfy { has(states[$0]) }
    // before anything is written
    let support = isComplete ? nil : try PictureSupport.find(isCancelled: { counter.isCancelled })
    let cache = try PictureCache(
      of: library, kind, limit: limit, keepsTemporarily: keepsTemporarily, lockWait: lockWait,
      whileWaiting: counter.reportWaitingForLock)
    try cache.requireWritable()
    cache.keepOnly(try library.keptContents())
    let plan = plan(contents, states, support)
    counter.setTotals(items: plan.photos.count, bytes: plan.photos.saturatedSum(\.photo.fileSize))
    counter.enter(.drawing)

    var summary = CacheFillSummary()
    (summary.photos, summary.cached) = (plan.count, plan.cached)
    for (photo, fault) in plan.faults {
      fault.report(of: contents.label(of: photo), undrawable: &summary.undrawable, failed: &summary.failed)
    }
    if let support {
      let drawing = Drawing(
        run: self, library: library, cache: cache, contents: contents, support: support)
      try drawing.draw(plan.photos, &summary)
    }
    try cache.requireWritable()
    summary.notes = cache.notes
    return Result(summary: summary, cache: cache, contents: contents)
  }

  private func plan(
    _ contents: LibraryContents, _ states: [FileContent: PictureCache.State], _ support: PictureSupport?
  ) -> Plan {
    var plan = Plan()
    var planned: Set<FileContent> = []
    for photo in contents.photos where selects(photo) {
      guard let content = photo.content, planned.insert(content).inserted else { continue }
      plan.count += 1
      switch states[content] {
      case let state where has(state): plan.cached += 1
      case let state:
        if let support, let fault = state?.fault(for: support.decoders) {
          plan.faults.append((photo, fault))
        } else {
          plan.photos.append(Item(photo: photo, content: content, state: state))
        }
      }
    }
    return plan
  }

  /// Returns true if the cache has what is needed of a photo.
  private func has(_ state: PictureCache.State?) -> Bool {
    state == .drawn || state == .fingerprinted && need == .fingerprints
  }

  /// Adds what was done with a photo to a summary.
  private typealias Outcome = @Sendable (inout CacheFillSummary) -> Void

  /// What drawing needs.
  private struct Drawing {
    let run: CacheFillRun
    let library: Library
    let cache: PictureCache
    let contents: LibraryContents
    let support: PictureSupport

    func draw(_ items: [Item], _ summary: inout CacheFillSummary) throws {
      let counter = run.counter
      let outcomes = OrderedResults<Outcome>()
      let isFull = Mutex(cache.isFull)
      defer { cache.flush() }
      let program = PictureDrawer.program()
      try Workers.forEach(
        items.indices, threads: PictureDrawer.poolSize, context: { PictureDrawer(program: program) }
      ) { index, drawer in
        try counter.checkCancellation()
        try cache.requireWritable()
        if index % 100 == 0, cache.isFull { isFull.withLock { $0 = true } }
        let isFull = isFull.withLock { $0 }
        let item = items[index]
        if isFull, run.need == .pictures {
          outcomes.add({ $0.left += 1 }, at: index)
        } else {
          outcomes.add(try draw(item, drawer, keepsThumbnail: !isFull), at: index)
        }
        counter.advance(items: 1, bytes: item.photo.fileSize, current: item.photo.fileName)
      }
      for outcome in outcomes.values { outcome(&summary) }
    }

    private func draw(
      _ item: Item, _ drawer: PictureDrawer, keepsThumbnail: Bool
    ) throws -> Outcome {
      let (counter, label) = (run.counter, contents.label(of: item.photo))
      do {
        let file = try library.open(item.photo)
        // a picture must belong to the content under which it is kept
        let (digest, size) = try MD5Digest.ofFile(file) { _ in try counter.checkCancellation() }
        guard FileContent(md5: digest, size: size) == item.content else {
          return { $0.failed.append(.differsFromRow(label)) }
        }
        switch try drawer.draw(run.kind.request, file, isCancelled: { counter.isCancelled }) {
        case .success(let picture):
          cache.store(.picture(keepsThumbnail ? picture : picture.withoutThumbnail), for: item.content)
          return { $0.drawn += 1 }
        case .failure(let found):
          let fault = support.fault(found, ofFileNamed: item.photo.fileName)
          cache.store(.fault(fault, by: support.decoders, after: item.state), for: item.content)
          return { fault.report(of: label, undrawable: &$0.undrawable, failed: &$0.failed) }
        }
      } catch let error as FileError where error.cause != .environment {
        return { $0.failed.append(error.isMissing ? .missingInLibrary(label) : Finding(label, "\(error)")) }
      }
    }
  }
}
