/// What pictures that look alike have in common, computed from the pixels of a thumbnail by `smilepile-pictures`.
package struct Fingerprint: Sendable, Equatable {
  /// The columns of the luma.
  package static let columns = 32
  /// The rows of the luma.
  package static let rows = 24
  /// The cells of the luma.
  package static let lumaCount = columns * rows

  /// The signs of the differences between neighbours of 9 × 8 cells (dHash).
  package let differenceHash: UInt64
  /// The lowest 8 × 8 coefficients of the cosine transform of 32 × 32 cells, compared with their median (pHash).
  package let frequencyHash: UInt64
  /// The mean luma of 32 × 24 cells, row by row.
  package let luma: [UInt8]

  /// Makes a fingerprint; nil if the luma has not `lumaCount` cells.
  package init?(differenceHash: UInt64, frequencyHash: UInt64, luma: [UInt8]) {
    guard luma.count == Self.lumaCount else { return nil }
    (self.differenceHash, self.frequencyHash, self.luma) = (differenceHash, frequencyHash, luma)
  }
}
