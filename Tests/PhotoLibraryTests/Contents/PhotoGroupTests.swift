import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

/// The photos of a library by category, year and month.
struct PhotoGroupTests {
  private func photo(_ id: Int64, category: Int64, _ date: String, size: Int) throws -> Photo {
    let taken = try Date(date, strategy: .iso8601)
    return Photo(
      id: id, categoryId: category, name: "\(id)", path: "photos/\(id).jpg", originalPath: "\(id).jpg",
      createdAt: Timestamp(taken), fileSize: size, width: 1, height: 1, md5: nil)
  }

  private func contents() throws -> LibraryContents {
    let categories = [
      Category(id: 7, name: "cars", displayName: "Cars", position: 0, createdAt: 0, valuesAsOf: 0),
      Category(id: 3, name: "empty", displayName: "Empty", position: 1, createdAt: 0, valuesAsOf: 0),
    ]
    // the middle of months, so that no time zone changes the month
    let photos = [
      try photo(1, category: 7, "2025-07-15T12:00:00Z", size: 10),
      try photo(2, category: 7, "2024-12-15T12:00:00Z", size: 20),
      try photo(3, category: 7, "2025-07-16T12:00:00Z", size: 30),
    ]
    return LibraryContents(categories: categories, photos: photos, settings: Settings(createdAt: 0))
  }

  @Test("Groups: categories keep their order, and one without photos has no dates")
  func categories() throws {
    let groups = try contents().groups(by: .category)
    #expect(groups.map(\.key) == ["Cars", "Empty"])
    #expect(groups.map(\.photos) == [3, 0])
    #expect(groups.map(\.bytes) == [60, 0])
    #expect(groups[1].oldest == nil)
    #expect(groups[0].oldest == (try contents().photos[1].createdAt))
    #expect(groups[0].newest == (try contents().photos[2].createdAt))
  }

  @Test("Groups: years and months are in order, and each photo is in one")
  func dates() throws {
    #expect(try contents().groups(by: .year).map(\.key) == ["2024", "2025"])
    let months = try contents().groups(by: .month)
    #expect(months.map(\.key) == ["2024-12", "2025-07"])
    #expect(months.map(\.photos) == [1, 2])
    #expect(months.map(\.bytes) == [20, 40])
  }
}
