import Checksums
import PhotoLibrary
import Pictures
import Testing

@testable import Duplicates

@Suite("Best photo of a group")
struct PhotoRankTests {
  private struct Values {
    var id: Int64 = 5
    var pixels = 1200
    var size = 100
    var createdAt: Timestamp = 9
    var captured: Timestamp?
  }

  private func rank(_ values: Values) -> PhotoRank {
    let photo = Photo(
      id: values.id, categoryId: 1, name: "a", path: "photos/a.jpg", originalPath: "a.jpg",
      createdAt: values.createdAt, fileSize: values.size, width: 0, height: 0,
      md5: MD5Digest(of: [1]))
    return PhotoRank(photo, pixels: values.pixels, captured: values.captured)
  }

  @Test("Rank: pixels, bytes, a date in the header, age and ID decide, in this order")
  func order() {
    let better: [(Values, PhotoRank.Reason)] = [
      (Values(id: 9, pixels: 1201, size: 1, createdAt: 99), .mostPixels),
      (Values(id: 9, size: 101, createdAt: 99), .largestFile),
      (Values(id: 9, createdAt: 99, captured: 7), .dateInHeader),
      (Values(id: 9, createdAt: 8), .oldest), (Values(id: 4), .lowestID),
    ]
    for (values, reason) in better {
      #expect(rank(values).reason(over: rank(Values())) == reason)
      #expect(rank(Values()).reason(over: rank(values)) == nil)
      #expect(rank(values) < rank(Values()))
    }
  }
}
