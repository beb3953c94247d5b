import Foundation
import PhotoLibrary
import TestSupport
import Testing

@testable import Catalogue
@testable import Pictures

/// Where a catalogue places photos and texts.
@Suite struct LayoutTests {
  private struct Shape: CustomTestStringConvertible {
    var paper: CatalogueOptions.Paper
    var columns: Int
    var testDescription: String { "\(paper), \(columns) columns" }
  }

  private static let shapes = CatalogueOptions.Paper.allCases.flatMap { paper in
    CatalogueOptions.columnNumbers.map { Shape(paper: paper, columns: $0) }
  }

  private func catalogue(photos: Int, takenAt: Timestamp = 0) throws -> Catalogue {
    let categories = [PhotoLibrary.Category.sample(1, "cars"), .sample(2, "zoo")]
    let photos = (1...photos).map { number in
      Photo(
        id: Int64(number), categoryId: number % 10 == 0 ? 2 : 1, name: "photo \(number)", path: "",
        originalPath: "", createdAt: takenAt, fileSize: 1, md5: nil)
    }
    return try Catalogue(
      title: "Family",
      LibraryContents(categories: categories, photos: photos, settings: Settings(createdAt: 0)),
      CatalogueOptions())
  }

  @Test(
    "Layout: each photo is on one page, nothing leaves a page, and no two photos overlap", arguments: shapes)
  private func places(_ shape: Shape) throws {
    var options = CatalogueOptions()
    (options.paper, options.columns) = (shape.paper, shape.columns)
    let layout = CatalogueLayout(try catalogue(photos: 301), options)
    let picture = Picture(width: 300, height: 200, jpeg: [])
    var (pages, images) = (0, 0)
    var onPage: [Frame] = []
    var number = 0
    func check(_ frame: Frame) {
      #expect(frame.x >= 36, "\(frame)")
      #expect(frame.x + frame.width <= layout.size.width - 36, "\(frame)")
      #expect(frame.y >= 30, "\(frame)")
      #expect(frame.y + frame.height <= layout.size.height - 12, "\(frame)")
    }
    try layout.draw { _ in
      number += 1
      return number % 3 == 0 ? nil : picture
    } _: { command in
      switch command {
      case .page:
        pages += 1
        onPage = []
      case .image(let frame, _):
        images += 1
        check(frame)
        for other in onPage { #expect(!frame.overlaps(other)) }
        onPage.append(frame)
      case .rectangle(let frame, _): check(frame)
      case .text(let text, _): check(text.frame)
      case .document, .outline, .end: break
      }
    }
    #expect(pages == layout.pageCount)
    #expect(number == 301)
    #expect(images == 301 - 301 / 3)
    #expect(layout.photosOnPage % shape.columns == 0)
  }

  @Test("Layout: a photo of the year 10000 has its date")
  func distantYear() throws {
    // 10000-01-03 12:00 UTC
    let layout = CatalogueLayout(
      try catalogue(photos: 1, takenAt: 253_402_516_800_000), CatalogueOptions())
    var texts: [String] = []
    try layout.draw(picture: { _ in nil }) { command in
      if case .text(let text, _) = command { texts.append("\(text)") }
    }
    #expect(texts.contains { $0.contains("10000-01-0") }, "\(texts)")
  }

  @Test(
    "Layout: a picture keeps its shape, lies on the lower edge of its field, and is not enlarged",
    arguments: [
      (300, 200, Frame(x: 10, y: 60, width: 90, height: 60)),
      (200, 300, Frame(x: 25, y: 30, width: 60, height: 90)),
      (30, 30, Frame(x: 40, y: 90, width: 30, height: 30)),
      (300, 3, Frame(x: 10, y: 119.1, width: 90, height: 0.9)),
    ])
  func fitting(width: Int, height: Int, frame: Frame) {
    let field = Frame(x: 10, y: 30, width: 90, height: 90)
    let found = CatalogueLayout.fitting(Picture(width: width, height: height, jpeg: []), into: field)
    #expect(abs(found.x - frame.x) < 0.01)
    #expect(abs(found.y - frame.y) < 0.01)
    #expect(abs(found.width - frame.width) < 0.01)
    #expect(abs(found.height - frame.height) < 0.01)
  }
}

extension Frame {
  fileprivate func overlaps(_ other: Frame) -> Bool {
    x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
  }
}
