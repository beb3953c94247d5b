import CImageMatch
internal import Pictures

/// Finds groups of similar photos. A group is a star: all its photos are similar to the best one, so that no chain of small
/// differences joins photos that differ.
///
/// A photo that is similar to a better one is compared with the centers of stars only. The time is that of comparing each
/// center with all photos: two hashes of 64 bits propose a pair, and the correlation of the luma decides.
struct StarSearch {
  /// A star of nodes, by their indices.
  struct Star: Sendable, Equatable {
    /// The best photo.
    let center: Int
    /// The other photos, best first, and their similarity to the center, from 0 to 1.
    var others: [(node: Int, similarity: Double)]

    static func == (one: Star, other: Star) -> Bool {
      one.center == other.center && one.others.elementsEqual(other.others, by: ==)
    }
  }

  /// In how many of 64 bits the hashes of a proposed pair differ at most. Measured: 14 propose eight times as many pairs,
  /// and find nothing more at the default threshold.
  static let greatestDistance: UInt32 = 12

  private let nodes: [SimilarNode]
  private let comparison: PhotoComparison

  /// - Parameter nodes: best first. All have a fingerprint in the comparison's table.
  init(_ nodes: [SimilarNode], by comparison: PhotoComparison) {
    (self.nodes, self.comparison) = (nodes, comparison)
  }

  /// Returns the stars of a kind with at least two photos, in the order of their centers. Blocks.
  ///
  /// - Parameters:
  ///   - indices: the nodes to search, ascending; nil for all.
  ///   - whileSearching: called for each node; may throw to give up.
  func stars(
    of kind: DuplicateGroup.Kind, among indices: [Int]? = nil, whileSearching: () throws -> Void
  ) rethrows -> [Star] {
    let indices = indices ?? Array(nodes.indices)
    let table = comparison.table
    let ones = indices.map { table.differenceHashes[nodes[$0].place] }
    let others = indices.map { table.frequencyHashes[nodes[$0].place] }
    let implementation = comparison.implementation
    /// The center of each node that is in a star.
    var centers: [Int: (center: Int, similarity: Double)] = [:]
    var found = [UInt32](repeating: 0, count: indices.count)
    for (position, index) in indices.enumerated() {
      try whileSearching()
      if centers[index] != nil { continue }
      let count = smilepile_image_match_find(
        implementation, ones, others, position + 1, indices.count, ones[position], others[position],
        Self.greatestDistance, &found)
      let similar = found[..<count].compactMap { proposed -> (node: Int, similarity: Double)? in
        let other = indices[Int(proposed)]
        guard let similarity = comparison.similarity(of: nodes[index], nodes[other], kind),
          similarity > centers[other]?.similarity ?? -1
        else { return nil }
        return (other, similarity)
      }
      for other in agreeing(similar, kind, center: nodes[index]) {
        centers[other.node] = (index, other.similarity)
      }
    }
    return stars(centers)
  }

  /// Returns a search in which the center of each star has the most exact time of its photos.
  func dated(by stars: [Star]) -> StarSearch {
    var nodes = nodes
    for star in stars {
      let times = ([star.center] + star.others.map(\.node)).compactMap { nodes[$0].captured }
      nodes[star.center].captured = times.first(where: \.hasFraction) ?? times.first
    }
    return StarSearch(nodes, by: comparison)
  }

  /// Returns the most similar nodes that can be in one group: no two of them are dismissed, and copies were taken at one
  /// moment, as far as their headers tell it. The center of a star can be a copy without a time, and is then similar to each
  /// shot of a series. A node that a later star takes away still counts.
  private func agreeing(
    _ similar: [(node: Int, similarity: Double)], _ kind: DuplicateGroup.Kind, center: SimilarNode
  ) -> [(node: Int, similarity: Double)] {
    var times = center.captured.map { [$0] } ?? []
    var inDismissedPairs: [SimilarNode] = []
    return similar.sorted { ($1.similarity, $0.node) < ($0.similarity, $1.node) }.filter { other in
      let node = nodes[other.node]
      let time = kind == .copies ? node.captured : nil
      if let time, !times.allSatisfy(time.canBe) { return false }
      if comparison.isInDismissedPair(node) {
        guard !inDismissedPairs.contains(where: { comparison.areDismissed($0, node) }) else { return false }
        inDismissedPairs.append(node)
      }
      if let time, !times.contains(time) { times.append(time) }
      return true
    }
  }

  private func stars(_ centers: [Int: (center: Int, similarity: Double)]) -> [Star] {
    var stars: [Int: Star] = [:]
    for (node, place) in centers.sorted(by: { $0.key < $1.key }) {
      stars[place.center, default: Star(center: place.center, others: [])].others
        .append((node, place.similarity))
    }
    return stars.values.sorted { $0.center < $1.center }
  }
}
