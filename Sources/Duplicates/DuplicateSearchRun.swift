internal import Operations
internal import PhotoLibrary
internal import Pictures
internal import SystemPackage

/// One search for duplicates.
struct DuplicateSearchRun {
  let path: FilePath
  let request: DuplicateRequest
  let counter: ProgressCounter

  /// Drawing takes most of the time.
  private static let shareOfDrawing = 0.9

  func run() throws -> DuplicateSummary {
    let library = try Library(path: path)
    let categories = Set(try library.contents().categories.named(request.categories).map(\.id))
    let isSelected = { @Sendable (photo: Photo) in categories.isEmpty || categories.contains(photo.categoryId)
    }
    let (threshold, note) = try threshold(library)
    counter.begin(0...Self.shareOfDrawing)
    var run = CacheFillRun(path: path, counter: counter)
    (run.need, run.keepsTemporarily, run.lockWait) = (.fingerprints, true, request.lockWait)
    run.selects = isSelected
    let filled = try run.run()
    let (fill, cache, contents) = (filled.summary, filled.cache, filled.contents)
    let comparison = PhotoComparison(cache.fingerprints(), threshold, dismissals: try library.dismissals())

    var summary = DuplicateSummary(comparison: comparison, contents: contents, cache: cache, fill: fill)
    summary.notes = fill.notes + [note].compactMap(\.self)
    let ranked = Self.ranked(contents.photos.filter(isSelected), comparison)
    summary.compared = ranked.count
    counter.begin(Self.shareOfDrawing...1)
    counter.setTotals(items: ranked.count, bytes: 0)
    counter.enter(.comparing)
    summary.groups = try groups(ranked, comparison)
    return summary
  }

  /// Returns the threshold, which does not change during the search, and a note if the stored one is out of range.
  private func threshold(_ library: Library) throws -> (SimilarityThreshold, note: String?) {
    if let threshold = request.threshold { return (threshold, nil) }
    let stored = try library.storedSettings()
    let fault = stored.faults.first { $0.column == "similarity" }
    let standard = SimilarityThreshold.standard
    return (
      stored.settings.similarityThreshold,
      fault.map { _ in
        "the stored similarity is out of range, so \(standard) is used; reset the setting similarity"
      }
    )
  }

  /// A photo with its rank and its node.
  private struct Ranked {
    let photo: Photo
    let rank: PhotoRank
    let node: SimilarNode
  }

  /// Returns the photos that have a fingerprint, best first.
  private static func ranked(_ photos: [Photo], _ comparison: PhotoComparison) -> [Ranked] {
    photos.compactMap { photo in
      comparison.node(of: photo).map { node in
        let pixels = comparison.table.photoPixels[node.place]
        return Ranked(
          photo: photo, rank: PhotoRank(photo, pixels: pixels, captured: node.captured), node: node)
      }
    }.sorted { $0.rank < $1.rank }
  }

  private func groups(_ ranked: [Ranked], _ comparison: PhotoComparison) throws -> [DuplicateGroup] {
    let search = StarSearch(ranked.map(\.node), by: comparison)
    let copies = try search.stars(of: .copies) {
      try counter.checkCancellation()
      counter.advance(items: 1)
    }
    var groups = copies.map { group(of: $0, .copies, ranked) }
    if request.findsSeries {
      // a copy belongs to its best photo
      let repeated = Set(copies.flatMap { $0.others.map(\.node) })
      let single = ranked.indices.filter { !repeated.contains($0) }
      let series = try search.dated(by: copies).stars(of: .series, among: single) {
        try counter.checkCancellation()
      }
      groups += series.map { group(of: $0, .series, ranked) }
    }
    return groups.sorted { ($1.bytesToFree, $0.number) < ($0.bytesToFree, $1.number) }
  }

  private func group(
    of star: StarSearch.Star, _ kind: DuplicateGroup.Kind, _ ranked: [Ranked]
  ) -> DuplicateGroup {
    let best = ranked[star.center]
    let reason = star.others.first.flatMap { best.rank.reason(over: ranked[$0.node].rank) }
    return DuplicateGroup(
      kind: kind, best: best.photo, reason: reason ?? .lowestID,
      others: star.others.map { .init(photo: ranked[$0.node].photo, similarity: $0.similarity) })
  }
}
