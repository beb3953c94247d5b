import CImageMatch
import TestSupport
import Testing

@testable import Duplicates
@testable import Pictures

@Suite("Similarity of pictures")
struct SimilarityTests {
  static let implementations = [IMAGE_MATCH_BASE, IMAGE_MATCH_AVX2, IMAGE_MATCH_AVX512]
    .filter { $0.rawValue <= smilepile_image_match_best_implementation().rawValue }

  private func similarity(
    _ one: [UInt8], _ other: [UInt8],
    _ implementation: smilepile_image_match_implementation = smilepile_image_match_best_implementation()
  ) -> Double {
    smilepile_image_match_similarity(implementation, one, other)
  }

  @Test("Similarity: a picture is equal to itself, and to itself with another brightness")
  func equalPictures() {
    let luma = Picture(seed: 1).luma()
    #expect(similarity(luma, luma) == 1)
    #expect(similarity(luma, luma.map { $0 / 2 + 20 }) > 0.999)
  }

  @Test("Similarity: a picture and its negative are opposites, except for small parts")
  func negative() {
    let luma = Picture(seed: 1).luma()
    #expect(similarity(luma, luma.map { 255 - $0 }) < 0.5)
  }

  @Test("Similarity: a flat picture is similar to nothing")
  func flatPicture() {
    let flat = [UInt8](repeating: 90, count: Fingerprint.lumaCount)
    #expect(similarity(flat, flat) == -1)
    #expect(similarity(flat, Picture(seed: 1).luma()) == -1)
  }

  @Test(
    "Similarity: a crop is more similar to its picture than the default threshold, in both orders",
    arguments: [0.01, 0.02, 0.05])
  func crops(_ margin: Double) {
    for seed in UInt64(1)...6 {
      let picture = Picture(seed: seed)
      let (whole, crop) = (picture.luma(), picture.luma(left: margin, top: margin, size: 1 - 2 * margin))
      #expect(similarity(whole, crop) > 0.92)
      #expect(similarity(whole, crop) == similarity(crop, whole))
    }
  }

  @Test("Similarity: different pictures are less similar than the least threshold")
  func differentPictures() {
    let pictures = (UInt64(1)...16).map { Picture(seed: $0).luma() }
    for index in pictures.indices {
      for other in pictures[(index + 1)...] { #expect(similarity(pictures[index], other) < 0.85) }
    }
  }

  @Test("Similarity: equal bars do not make different pictures similar", arguments: Bars.all)
  func differentPicturesBetweenBars(_ bars: Bars) {
    let pictures = (UInt64(1)...16).map { bars.around(Picture(seed: $0)) }
    for index in pictures.indices {
      for other in pictures[(index + 1)...] { #expect(similarity(pictures[index], other) < 0.85) }
    }
  }

  @Test(
    "Similarity: copies between bars are similar, also if they are cropped or brighter", arguments: Bars.all)
  func copiesBetweenBars(_ bars: Bars) {
    for seed in UInt64(1)...6 {
      let picture = bars.around(Picture(seed: seed))
      #expect(similarity(picture, picture) == 1)
      #expect(similarity(picture, picture.map { $0 / 2 + 20 }) > 0.999)
      #expect(similarity(picture, bars.around(Picture(seed: seed), left: 0.02, top: 0.02, size: 0.96)) > 0.92)
    }
  }

  @Test("Similarity: a bar in one of two pictures is compared")
  func barInOnePicture() {
    let bars = Bars(top: 5, bottom: 5)
    #expect(similarity(bars.around(Picture(seed: 1)), Picture(seed: 1).luma()) < 0.85)
  }

  @Test("Similarity: a picture of bars alone is similar to nothing")
  func barsAlone() {
    let luma = (0..<Fingerprint.lumaCount).map { UInt8($0 / Fingerprint.columns / 4 * 40) }
    #expect(similarity(luma, luma) == -1)
  }

  @Test("Similarity: a gradient of rows that differ is no bar")
  func gradient() {
    let luma = (0..<Fingerprint.lumaCount).map { UInt8($0 / Fingerprint.columns * 10) }
    #expect(similarity(luma, luma) == 1)
  }

  @Test("Similarity: every implementation gives what a simple one gives", arguments: implementations)
  func oracle(_ implementation: smilepile_image_match_implementation) {
    for seed in UInt64(1)...12 {
      let bars = seed < 5 ? Bars() : Bars.all[Int(seed) % Bars.all.count]
      let one = bars.around(Picture(seed: seed))
      let other =
        seed.isMultiple(of: 2)
        ? bars.around(Picture(seed: seed), left: 0.03, top: 0.01, size: 0.95)
        : bars.around(Picture(seed: seed + 100))
      #expect(abs(similarity(one, other, implementation) - Oracle.similarity(one, other)) < 1e-9)
    }
  }

  @Test("Hashes: every implementation finds the hashes that differ in few bits", arguments: implementations)
  func nearHashes(_ implementation: smilepile_image_match_implementation) {
    var numbers = SeededNumbers(seed: 5)
    for count in [0, 1, 63, 64, 65, 1000] {
      let (one, other) = (
        UInt64.random(in: 0 ... .max, using: &numbers), UInt64.random(in: 0 ... .max, using: &numbers)
      )
      /// Hashes that differ in 0 to 24 bits.
      func near(_ hash: UInt64) -> [UInt64] {
        (0..<count).map { _ in
          (0..<Int.random(in: 0...24, using: &numbers)).reduce(hash) { hash, _ in
            hash ^ 1 << UInt64.random(in: 0..<64, using: &numbers)
          }
        }
      }
      let (ones, others) = (near(one), near(other))
      var found = [UInt32](repeating: 0, count: count + 1)
      for first in [0, 1, count / 2] where first <= count {
        let length = smilepile_image_match_find(
          implementation, ones, others, first, count, one, other, 12, &found)
        let expected = (first..<count).filter { index in
          (ones[index] ^ one).nonzeroBitCount <= 12 || (others[index] ^ other).nonzeroBitCount <= 12
        }
        #expect(found[..<length].map(Int.init) == expected)
      }
    }
  }
}

/// Bars around a picture: their width in rows or columns, and their luma.
struct Bars: Sendable, CustomTestStringConvertible {
  var top = 0
  var bottom = 0
  var left = 0
  var right = 0
  var luma: UInt8 = 0
  /// Whether the lines beside the bars show both bar and picture.
  var isMixed = false
  /// Whether the first row shows clock and battery.
  var hasStatus = false

  static let all = [
    Bars(top: 5, bottom: 4), Bars(left: 8, right: 8, luma: 255),
    Bars(top: 6, bottom: 7, left: 9, right: 8, luma: 240),
    Bars(bottom: 12), Bars(top: 5, bottom: 5, hasStatus: true),
    Bars(top: 1, bottom: 1, left: 8, right: 8, luma: 20, isMixed: true),
    Bars(top: 6, bottom: 6, isMixed: true),
  ]

  var testDescription: String {
    "\(top), \(bottom), \(left), \(right) of \(luma)\(isMixed ? ", mixed" : "")\(hasStatus ? ", status" : "")"
  }

  /// Returns the luma of a part of a picture, which is reduced to what the bars leave.
  func around(_ picture: Picture, left part: Double = 0, top: Double = 0, size: Double = 1) -> [UInt8] {
    let (rows, columns) = (Fingerprint.rows - self.top - bottom, Fingerprint.columns - left - right)
    let inside = picture.luma(left: part, top: top, size: size, columns: columns, rows: rows)
    var luma = [UInt8](repeating: luma, count: Fingerprint.lumaCount)
    for y in 0..<rows {
      for x in 0..<columns { luma[(y + self.top) * Fingerprint.columns + x + left] = inside[y * columns + x] }
    }
    if isMixed {
      for y in self.top..<self.top + rows {
        for x in self.left..<self.left + columns
        where (y == self.top && self.top > 0) || (y == self.top + rows - 1 && bottom > 0)
          || (x == self.left && self.left > 0) || (x == self.left + columns - 1 && right > 0)
        {
          let index = y * Fingerprint.columns + x
          luma[index] = UInt8((Int(luma[index]) + Int(self.luma)) / 2)
        }
      }
    }
    if hasStatus { for x in [1, 2, 3, 28, 29] { luma[x] = 30 } }
    return luma
  }
}

/// A smooth picture of any size: waves whose lengths and directions depend on a seed.
struct Picture {
  private let waves: [(x: Double, y: Double, phase: Double, strength: Double)]

  init(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    waves = (0..<14).map { _ in
      let x = Double.random(in: -7...7, using: &numbers)
      let y = Double.random(in: -7...7, using: &numbers)
      return (x, y, .random(in: 0..<6.3, using: &numbers), 1 / (0.6 + (x * x + y * y).squareRoot()))
    }
  }

  /// Returns the luma of a part, whose left edge, top and size are fractions of the picture.
  func luma(
    left: Double = 0, top: Double = 0, size: Double = 1, columns: Int = Fingerprint.columns,
    rows: Int = Fingerprint.rows
  ) -> [UInt8] {
    (0..<columns * rows).map { index in
      // the mean of 3 × 3 points
      let sum = (0..<9).map { point -> Double in
        let x = (Double(index % columns) + (Double(point % 3) + 0.5) / 3) / Double(columns)
        let y = (Double(index / columns) + (Double(point / 3) + 0.5) / 3) / Double(rows)
        return value(x: left + size * x, y: top + size * y)
      }.reduce(0, +)
      return UInt8(max(0, min(255, (sum / 9).rounded())))
    }
  }

  private func value(x: Double, y: Double) -> Double {
    waves.reduce(128) { sum, wave in
      sum + 45 * wave.strength * Oracle.sine(2 * .pi * (wave.x * x + wave.y * y) + wave.phase)
    }
  }
}
