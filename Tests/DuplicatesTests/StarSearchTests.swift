import Checksums
import PhotoLibrary
import TestSupport
import Testing

@testable import Duplicates
@testable import Pictures

@Suite("Search for similar photos")
struct StarSearchTests {
  private static func content(_ number: Int) -> FileContent {
    FileContent(md5: MD5Digest(of: Array("\(number)".utf8)), size: number)
  }

  private static func threshold(_ percent: Int) throws -> SimilarityThreshold {
    try SimilarityThreshold("\(percent)%")
  }

  /// Photos with lumas, best first. All have the same hashes, so that the similarity of the luma decides.
  private struct Photos {
    var nodes: [SimilarNode] = []
    var table = FingerprintTable()

    init(_ lumas: [[UInt8]], captured: [Int: Timestamp] = [:], equal: [Int: Int] = [:]) throws {
      for (number, luma) in lumas.enumerated() {
        let content = StarSearchTests.content(equal[number] ?? number)
        let fingerprint = try #require(Fingerprint(differenceHash: 1, frequencyHash: 1, luma: luma))
        table.add(Pictures.Picture(width: 4, height: 3, jpeg: [], fingerprint: fingerprint), of: content)
        nodes.append(
          SimilarNode(
            content: content, place: try #require(table.places[content]),
            captured: captured[number]))
      }
    }

    func stars(
      _ percent: Int, _ kind: DuplicateGroup.Kind = .copies, dismissals: Set<Dismissal> = []
    ) throws -> [[Int]] {
      let comparison = PhotoComparison(table, try StarSearchTests.threshold(percent), dismissals: dismissals)
      return StarSearch(nodes, by: comparison).stars(of: kind) {}
        .map { [$0.center] + $0.others.map(\.node) }
    }

    /// The series among the photos that are the best of their copies.
    func series(_ percent: Int) throws -> [[Int]] {
      let comparison = PhotoComparison(table, try StarSearchTests.threshold(percent))
      let search = StarSearch(nodes, by: comparison)
      let copies = search.stars(of: .copies) {}
      let single = Set(nodes.indices).subtracting(copies.flatMap { $0.others.map(\.node) }).sorted()
      return search.dated(by: copies).stars(of: .series, among: single) {}
        .map { [$0.center] + $0.others.map(\.node) }
    }
  }

  /// Mixes two pictures, so that mixtures with near shares are similar and those with far shares are not.
  private static func mixture(_ share: Double) -> [UInt8] {
    zip(Picture(seed: 1).luma(), Picture(seed: 2).luma()).map { one, other in
      UInt8(Double(one) * (1 - share) + Double(other) * share)
    }
  }

  @Test("Stars: a chain of small differences joins only what is similar to the best photo")
  func chain() throws {
    let photos = try Photos([0, 0.12, 0.24, 0.36, 0.48].map(Self.mixture))
    let all = PhotoComparison(photos.table, try Self.threshold(92))
    // neighbours are similar, and the ends are not
    #expect(all.correlation(of: photos.nodes[0], photos.nodes[1]) > 0.92)
    #expect(all.correlation(of: photos.nodes[3], photos.nodes[4]) > 0.92)
    #expect(all.correlation(of: photos.nodes[0], photos.nodes[4]) < 0.92)
    for star in try photos.stars(92) {
      for other in star.dropFirst() {
        #expect(all.correlation(of: photos.nodes[star[0]], photos.nodes[other]) >= 0.92)
      }
    }
  }

  @Test("Stars: a photo belongs to the center that it is most similar to")
  func nearestCenter() throws {
    // the last one is similar to both, which are not similar to each other
    let photos = try Photos([0, 0.5, 0.34].map(Self.mixture))
    let all = PhotoComparison(photos.table, try Self.threshold(85))
    let (far, near) = (
      all.correlation(of: photos.nodes[0], photos.nodes[2]),
      all.correlation(of: photos.nodes[1], photos.nodes[2])
    )
    #expect(far < near)
    #expect(try photos.stars(92).last == [1, 2])
  }

  @Test("Stars: a dismissed pair is in no star, at any threshold", arguments: 85...98)
  func dismissal(_ percent: Int) throws {
    let photos = try Photos([0, 0, 0].map(Self.mixture))
    let pair = try #require(Dismissal(Self.content(1), Self.content(0)))
    let stars = try photos.stars(percent, dismissals: [pair])
    #expect(stars == [[0, 2]])
    // also if both are similar to a better one
    let others = try #require(Dismissal(Self.content(1), Self.content(2)))
    #expect(try photos.stars(percent, dismissals: [others]) == [[0, 1]])
  }

  @Test("Stars: photos with equal bytes are no duplicates, and each can have copies")
  func equalBytes() throws {
    let photos = try Photos([0, 0, 0].map(Self.mixture), equal: [1: 0])
    #expect(try photos.stars(92) == [[0, 2]])
    #expect(try Photos([0, 0].map(Self.mixture), equal: [1: 0]).stars(92).isEmpty)
  }

  @Test("Stars: photos with different times in their headers are a series, and no copies")
  func series() throws {
    let photos = try Photos([0, 0, 0].map(Self.mixture), captured: [0: 1_000, 1: 2_000])
    #expect(try photos.stars(92) == [[0, 2]])
    #expect(try photos.stars(92, .series) == [[0, 1]])
  }

  @Test(
    "Stars: shots of a series are not copies of one photo, even if its header has no time or a less exact one"
  )
  func seriesOfCopy() throws {
    for first in [nil, 1_000] as [Timestamp?] {
      let times: [(Timestamp, Timestamp)] =
        first == nil ? [(1_000, 2_000), (1_100, 1_600)] : [(1_100, 1_600)]
      for (one, other) in times {
        let photos = try Photos(
          [0, 0, 0, 0].map(Self.mixture), captured: [0: first, 1: one, 2: other].compactMapValues(\.self))
        #expect(try photos.stars(92) == [[0, 1, 3]])
        #expect(try photos.series(92) == [[0, 2]])
      }
    }
  }

  @Test("Stars: the search finds what a comparison of all pairs finds")
  func oracle() throws {
    var numbers = SeededNumbers(seed: 3)
    for _ in 0..<20 {
      let photos = try Photos((0..<25).map { _ in Self.mixture(Double.random(in: 0...1, using: &numbers)) })
      let comparison = PhotoComparison(photos.table, try Self.threshold(95))
      func similarity(_ one: Int, _ other: Int) -> Double {
        comparison.correlation(of: photos.nodes[one], photos.nodes[other])
      }
      // a center is a photo that is similar to no better center; all others belong to the most similar center
      var centers: [Int] = []
      var members: [Int: [Int]] = [:]
      for node in photos.nodes.indices {
        if centers.allSatisfy({ similarity($0, node) < 0.95 }) { centers.append(node) }
      }
      for node in photos.nodes.indices where !centers.contains(node) {
        let own = centers.filter { $0 < node }
        let best = try #require(own.max { (similarity($0, node), $1) < (similarity($1, node), $0) })
        members[best, default: []].append(node)
      }
      #expect(try photos.stars(95) == members.sorted { $0.key < $1.key }.map { [$0.key] + $0.value })
    }
  }

  @Test("Stars: a search can be cancelled")
  func cancellation() throws {
    let photos = try Photos([0, 0].map(Self.mixture))
    let search = StarSearch(photos.nodes, by: PhotoComparison(photos.table, .standard))
    #expect(throws: CancellationError.self) {
      try search.stars(of: .copies) { throw CancellationError() }
    }
  }

  @Test(
    "Times of headers: they are the same moment without fraction, and with another offset from UTC",
    arguments: [
      (0, 0, true), (0, 1_000, false), (500, 0, true), (500, 700, false), (1_500, 1_000, true),
      (7_200_000, 0, true), (7_201_000, 0, false), (-1_000, 0, false), (360_000_000, 0, false),
      (.min, .max, false),
    ] as [(Timestamp, Timestamp, Bool)])
  func times(_ one: Timestamp, _ other: Timestamp, _ isSame: Bool) {
    #expect(one.canBe(other) == isSame)
    #expect(other.canBe(one) == isSame)
  }
}
