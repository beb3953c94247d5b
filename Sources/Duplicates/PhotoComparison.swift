import CImageMatch
internal import PhotoLibrary
internal import Pictures

/// Decides whether two photos are similar. The threshold and the dismissed pairs do not change.
struct PhotoComparison: Sendable {
  /// How similar photos must be.
  let threshold: SimilarityThreshold
  let table: FingerprintTable
  let implementation = smilepile_image_match_best_implementation()
  private let dismissals: Set<Dismissal>
  /// The texts of the contents in the dismissed pairs.
  private let dismissed: Set<String>

  /// - Parameter dismissals: the pairs that a person does not take for duplicates.
  init(
    _ table: FingerprintTable, _ threshold: SimilarityThreshold, dismissals: Set<Dismissal> = []
  ) {
    (self.table, self.threshold, self.dismissals) = (table, threshold, dismissals)
    dismissed = Set(dismissals.flatMap(\.texts))
  }

  /// Returns the node of a photo; nil if the photo has no fingerprint.
  func node(of photo: Photo) -> SimilarNode? {
    guard let content = photo.content, let place = table.places[content] else { return nil }
    return SimilarNode(content: content, place: place, captured: table.captured[content])
  }

  /// Returns true if two photos are copies of each other.
  func areCopies(_ one: Photo, _ other: Photo) -> Bool {
    guard let one = node(of: one), let other = node(of: other) else { return false }
    return similarity(of: one, other, .copies) != nil
  }

  /// Returns the similarity of two nodes; nil if it is less than the threshold, if the nodes are not of the kind, or if a
  /// person has dismissed them.
  func similarity(of one: SimilarNode, _ other: SimilarNode, _ kind: DuplicateGroup.Kind) -> Double? {
    guard one.kind(with: other) == kind else { return nil }
    let similarity = correlation(of: one, other)
    return similarity >= threshold.similarity && !areDismissed(one, other) ? similarity : nil
  }

  /// Returns true if a person does not take two nodes for duplicates.
  func areDismissed(_ one: SimilarNode, _ other: SimilarNode) -> Bool {
    guard !dismissals.isEmpty else { return false }
    return Dismissal(one.content, other.content).map(dismissals.contains) ?? false
  }

  /// Returns true if a dismissed pair has this node.
  func isInDismissedPair(_ node: SimilarNode) -> Bool {
    !dismissed.isEmpty && dismissed.contains(node.content.text)
  }

  /// Returns the similarity of two nodes, from -1 to 1.
  func correlation(of one: SimilarNode, _ other: SimilarNode) -> Double {
    let count = Fingerprint.lumaCount
    return table.luma.withUnsafeBufferPointer { luma in
      guard let start = luma.baseAddress, max(one.place, other.place) < luma.count / count else { return -1 }
      return smilepile_image_match_similarity(
        implementation, start + one.place * count, start + other.place * count)
    }
  }
}
