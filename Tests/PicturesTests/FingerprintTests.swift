import Foundation
import TestSupport
import Testing

@testable import Pictures

/// Fingerprints that the helper computes, compared with those of simple code.
@Suite(.enabled(PictureScratch.reason) { PictureScratch.isPossible })
struct FingerprintTests {
  private let scratch = PictureScratch()

  /// An image that is smaller than a thumbnail, so that the helper sees its pixels as they are.
  private struct Image {
    let width: Int
    let height: Int
    let pixels: [[Double]]

    init(_ width: Int, _ height: Int, seed: UInt64) {
      (self.width, self.height) = (width, height)
      var numbers = SeededNumbers(seed: seed)
      // a gradient under noise, so that the hashes have both kinds of bits
      pixels = (0..<width * height).map { index in
        let across: Double = Double(index % width) / Double(width)
        let down: Double = Double(index / width) / Double(height)
        let slope: Double = across * 90 + down * 60
        return (0..<3).map { _ in (slope + Double.random(in: 0...100, using: &numbers)).rounded() }
      }
    }

    var ppm: [UInt8] {
      Array("P6\n\(width) \(height)\n255\n".utf8) + pixels.flatMap { $0.map { UInt8($0) } }
    }

    /// The mean luma of cells, each the mean of what it covers.
    func cells(_ columns: Int, _ rows: Int) -> [Double] {
      func overlap(_ index: Int, _ count: Int, _ cell: Int, _ cells: Int) -> Double {
        let size = Double(count) / Double(cells)
        let end: Double = min(Double(index + 1), Double(cell + 1) * size)
        let start: Double = max(Double(index), Double(cell) * size)
        return max(0, end - start)
      }
      return (0..<columns * rows).map { cell in
        var (sum, area) = (0.0, 0.0)
        for (index, pixel) in pixels.enumerated() {
          let weight =
            overlap(index % width, width, cell % columns, columns)
            * overlap(index / width, height, cell / columns, rows)
          let luma: Double = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
          sum += weight * luma
          area += weight
        }
        return sum / area
      }
    }

    var differenceHash: UInt64 {
      let cells = cells(9, 8)
      return (0..<64).reduce(0) { hash, bit in
        let cell = bit / 8 * 9 + bit % 8
        return hash << 1 | (cells[cell] < cells[cell + 1] ? 1 : 0)
      }
    }

    /// The DCT by its definition: a sum over all cells for each coefficient.
    var frequencyHash: UInt64 {
      let cells = cells(32, 32)
      func wave(_ place: Int, _ frequency: Int) -> Double {
        let angle: Double = Double.pi / 32 * (Double(place) + 0.5) * Double(frequency)
        return cos(angle)
      }
      let coefficients = (0..<64).map { number -> Double in
        var sum = 0.0
        for cell in 0..<1024 {
          sum += cells[cell] * wave(cell % 32, number % 8) * wave(cell / 32, number / 8)
        }
        return sum
      }
      let sorted = coefficients.sorted()
      let median = (sorted[31] + sorted[32]) / 2
      return coefficients.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
    }
  }

  private func fingerprint(_ bytes: [UInt8]) throws -> Fingerprint? {
    try scratch.folder.write(bytes, to: "image.ppm")
    try scratch.run("vips", "copy", "image.ppm", "image.png")
    return try scratch.draw("image.png").get().fingerprint
  }

  @Test(
    "Fingerprint: the helper computes the same as a simple implementation, for images of any size",
    arguments: [(90, 48), (64, 64), (37, 53), (9, 8), (5, 7), (300, 20)])
  func oracle(_ width: Int, _ height: Int) throws {
    let image = Image(width, height, seed: UInt64(width * height))
    let found = try #require(try fingerprint(image.ppm))
    #expect(found.differenceHash == image.differenceHash)
    #expect(found.frequencyHash == image.frequencyHash)
    let luma = image.cells(Fingerprint.columns, Fingerprint.rows)
    let differences = zip(found.luma, luma).map { abs(Double($0) - $1) }
    #expect(differences.max() ?? 9 <= 0.5 + 1e-9)
  }

  @Test("Fingerprint: a flat picture has none")
  func flatPicture() throws {
    func image(_ difference: Int) -> [UInt8] {
      // halves that differ by twice the standard deviation
      Array("P6\n64 48\n255\n".utf8)
        + (0..<64 * 48).flatMap { [UInt8](repeating: $0 % 64 < 32 ? 100 : UInt8(100 + difference), count: 3) }
    }
    #expect(try fingerprint(image(0)) == nil)
    #expect(try fingerprint(image(7)) == nil)
    #expect(try fingerprint(image(9)) != nil)
  }

  @Test("Fingerprint: a grey image has the fingerprint of the same image in colour")
  func greyImage() throws {
    let numbers = (0..<40 * 30).map { UInt8($0 * 7 % 200) }
    let grey = try fingerprint(Array("P5\n40 30\n255\n".utf8) + numbers)
    let colour = try fingerprint(Array("P6\n40 30\n255\n".utf8) + numbers.flatMap { [$0, $0, $0] })
    #expect(grey != nil)
    #expect(grey == colour)
  }

  @Test("Fingerprint: a photo that EXIF turns has nearly the fingerprint of the upright photo")
  func orientation() throws {
    let image = Image(80, 60, seed: 4)
    try scratch.folder.write(image.ppm, to: "image.ppm")
    try scratch.run("vips", "rot", "image.ppm", "turned.jpg[Q=100]", "d270")
    try scratch.folder.write(scratch.folder.bytes("turned.jpg").oriented(6), to: "upright.jpg")
    let found = try #require(try scratch.draw("upright.jpg").get().fingerprint)
    #expect((found.differenceHash ^ image.differenceHash).nonzeroBitCount <= 3)
  }
}
