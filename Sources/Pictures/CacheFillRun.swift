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

  /// The plan: one photo for each content.
  private struct Plan {
    var photos: [(photo: Photo, content: FileContent, state: PictureCache.State?)] = []
    var cached = 0
    var count = 0
    /// Photos that these decoders did not draw before.
    var faults: [(photo: Photo, fault: PictureFault)] = []
  }

  /// Draws all pictures that the cache lacks, and returns the open cache. Blocks; throws what the summary of
  /// `Work.fillCache` throws. Starts no helper if nothing is to be drawn.
  package func run() throws -> (summary: CacheFillSummary, cache: PictureCache) {
    counter.enter(.planning)
    let library = try Library(path: path)
    let contents = try library.contents()
    let states = try PictureCache.states(of: kind, in: library)
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
    for (photo, fault) in plan.faults { add(fault, of: photo, contents, to: &summary) }
    if let support {
      let drawn = try library.withPhotoReadLock(
        lockWait: lockWait, whileWaiting: counter.reportWaitingForLock
      ) {
        try draw(plan, library, cache, contents, support)
      }
      summary.failed += drawn.failed
      summary.undrawable += drawn.undrawable
      (summary.drawn, summary.left) = (drawn.drawn, drawn.left)
    }
    try cache.requireWritable()
    summary.notes = cache.notes
    return (summary, cache)
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
          plan.photos.append((photo, content, state))
        }
      }
    }
    return plan
  }

  /// Returns true if the cache has what is needed of a photo.
  private func has(_ state: PictureCache.State?) -> Bool {
    state == .drawn || state == .fingerprinted && need == .fingerprints
  }

  private enum Outcome: Sendable {
    case drawn
    case left
    case undrawable(PictureFault)
    case failed(Finding)
  }

  private func draw(
    _ plan: Plan, _ library: Library, _ cache: PictureCache, _ contents: LibraryContents,
    _ support: PictureSupport
  ) throws -> CacheFillSummary {
    let outcomes = Mutex<[Int: Outcome]>([:])
    let isFull = Mutex(cache.isFull)
    defer { cache.flush() }
    let program = PictureDrawer.program()
    let photos = plan.photos
    try Workers.forEach(
      photos.indices, threads: PictureDrawer.poolSize, context: { PictureDrawer(program: program) }
    ) { index, drawer in
      try counter.checkCancellation()
      try cache.requireWritable()
      let (photo, content, state) = photos[index]
      if index % 100 == 0, cache.isFull { isFull.withLock { $0 = true } }
      let isFull = isFull.withLock { $0 }
      let outcome =
        isFull && need == .pictures
        ? .left : try draw(photo, content, state, drawer, library, cache, contents, support, isFull)
      outcomes.withLock { $0[index] = outcome }
      if case .failed(let finding) = outcome { counter.report(finding) }
      counter.advance(items: 1, bytes: photo.fileSize, current: photo.fileName)
    }
    var summary = CacheFillSummary()
    for (index, outcome) in outcomes.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      switch outcome {
      case .drawn: summary.drawn += 1
      case .left: summary.left += 1
      case .undrawable(let fault): add(fault, of: photos[index].photo, contents, to: &summary)
      case .failed(let finding): summary.failed.append(finding)
      }
    }
    return summary
  }

  private func draw(
    _ photo: Photo, _ content: FileContent, _ state: PictureCache.State?, _ drawer: PictureDrawer,
    _ library: Library,
    _ cache: PictureCache, _ contents: LibraryContents, _ support: PictureSupport, _ isFull: Bool
  ) throws -> Outcome {
    let label = contents.label(of: photo)
    do {
      let file = try library.open(photo)
      // a picture must belong to the content under which it is kept
      let (digest, size) = try MD5Digest.ofFile(file) { _ in try counter.checkCancellation() }
      guard FileContent(md5: digest, size: size) == content else {
        return .failed(
          Finding(
            label,
            message: "\(label) is corrupt in the library (MD5 or size differs from the one recorded)",
            remedy: .repairLibrary))
      }
      switch try drawer.draw(kind.request, file, isCancelled: { counter.isCancelled }) {
      case .success(let picture):
        cache.store(.picture(isFull ? picture.withoutThumbnail : picture), for: content)
        return .drawn
      case .failure(let found):
        let fault = support.fault(found, ofFileNamed: photo.fileName)
        cache.store(.fault(fault, by: support.decoders, after: state), for: content)
        return fault == .unknownFormat ? .undrawable(fault) : .failed(finding(fault, label))
      }
    } catch let error as FileError where !error.isResourceExhaustion {
      guard error.isMissing else { return .failed(Finding(label, "\(error)")) }
      return .failed(
        Finding(label, message: "\(label) is missing in the library", remedy: .repairLibrary))
    }
  }

  private func finding(_ fault: PictureFault, _ label: String) -> Finding {
    Finding(label, message: "\(label) \(fault)")
  }

  private func add(
    _ fault: PictureFault, of photo: Photo, _ contents: LibraryContents, to summary: inout CacheFillSummary
  ) {
    let finding = finding(fault, contents.label(of: photo))
    if fault == .unknownFormat { summary.undrawable.append(finding) } else { summary.failed.append(finding) }
  }
}
