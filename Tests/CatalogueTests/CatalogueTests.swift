import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport
import Testing

@testable import Catalogue
@testable import Pictures

/// Writing catalogues, read back by other programs.
@Suite(.waitsForPrograms) struct CatalogueTests {
  /// Names, and what a catalogue shows of them if that differs.
  private static let names: [(name: String, shown: String?)] = [
    ("IMG_0001", nil), ("Παραλία", nil), ("Пляж летом", nil), ("海滩日落的照片", nil), ("ひらがな カタカナ", nil),
    ("한국어 이름", nil), ("شاطئ البحر", nil), ("חוף הים", nil), ("ภาษาไทย", nil), ("हिन्दी", nil),
    ("😀 beach 🏖️", nil), ("👨‍👩‍👧‍👦", nil), ("\"><script>alert(1)</script>", nil), ("<b>&amp;</b>", nil),
    ("evil\u{202E}gpj.exe", "evil\u{FFFD}gpj.exe"),
    ("two\nlines\there", "two lines here"),
    ("%2e%2e/%00", nil), ("-o", nil), ("\u{2066}x\u{2069}", "\u{FFFD}x\u{FFFD}"),
    ("e\u{301}te\u{301}", nil),
  ]

  /// Removes what programs that extract text add or lose: spaces, line ends, and marks of direction.
  private static func comparable(_ text: String) -> String {
    let ignored = CharacterSet.whitespacesAndNewlines.union(["\u{202A}", "\u{202B}", "\u{202C}", "\u{200B}"])
    return String(
      String.UnicodeScalarView(
        text.precomposedStringWithCompatibilityMapping.unicodeScalars.filter { !ignored.contains($0) }))
  }

  @Test("Catalogue: every name can be extracted as text, whatever its script, and controls are replaced")
  func names() throws {
    let scratch = try CatalogueScratch(["Names": Self.names.map(\.name)])
    let summary = try scratch.write()
    let text = Self.comparable(try scratch.run("pdftotext", "a.pdf", "-"))
    for (name, shown) in Self.names {
      #expect(text.contains(Self.comparable(shown ?? name)), "\(name.debugDescription)")
    }
    #expect(!text.unicodeScalars.contains("\u{202E}"))
    #expect(summary.tiles == 0)
    #expect(summary.pages == 2)
  }

  @Test("Catalogue: an emoji is text in every row and column, also several times", arguments: [3, 4, 5, 8])
  func emoji(columns: Int) throws {
    let names = (1...20).map { $0 % 2 == 0 ? "n\($0) 🎉" : "n\($0) 🎉 🎉 x" }
    let scratch = try CatalogueScratch(["Party 🎉🎉": names])
    try scratch.write { $0.columns = columns }
    let text = Self.comparable(try scratch.run("pdftotext", "a.pdf", "-"))
    for name in names { #expect(text.contains(Self.comparable(name)), "\(name)") }
    try scratch.run("qpdf", "--check", "a.pdf")
  }

  @Test(
    "Catalogue: texts are one line without controls, of at most 16 KB",
    arguments: [
      ("a\0b\u{1B}c", "a\u{FFFD}b\u{FFFD}c"), ("a\nb\tc\u{2028}d", "a b c d"), ("\u{202E}x", "\u{FFFD}x"),
      ("", ""), ("plain", "plain"),
      (
        String(repeating: "€", count: 10_000),
        String(repeating: "€", count: 2047) + "…" + String(repeating: "€", count: 2047)
      ),
    ])
  func lines(text: String, line: String) {
    #expect(Catalogue.line(text) == line)
  }

  @Test("Catalogue: a name of 10 KB is shown without its middle, and can be extracted as a whole")
  func longName() throws {
    let name = (1...2000).map { "w\($0)" }.joined(separator: " ")
    try #require(name.utf8.count > 10_000)
    let scratch = try CatalogueScratch([name: [name + "x", name + "y"]])
    try scratch.write { $0.columns = 8 }
    let text = Self.comparable(try scratch.run("pdftotext", "a.pdf", "-"))
    for word in ["w1w2w3w4", "w1999w2000x", "w1999w2000y", "w999w1000w1001"] {
      #expect(text.contains(word), "\(word)")
    }
    #expect(try scratch.run("pdfinfo", "a.pdf").contains("Pages:           2\n"))
  }

  @Test(
    "Catalogue: the paper has the size that was chosen",
    arguments: [
      (CatalogueOptions.Paper.a4, "595.276 x 841.89 pts (A4)"), (.letter, "612 x 792 pts (letter)"),
    ])
  func paper(_ paper: CatalogueOptions.Paper, _ size: String) throws {
    let scratch = try CatalogueScratch(["Cars": ["one"]])
    try scratch.write { $0.paper = paper }
    #expect(try scratch.run("pdfinfo", "a.pdf").contains(size))
  }

  @Test("Catalogue: other programs find no error, all pages are rendered, and all fonts are embedded")
  func otherPrograms() throws {
    let names = (1...200).map { "photo \($0) 😀 海" }
    let scratch = try CatalogueScratch(["Cars": names, "Zoo": ["one"]])
    let summary = try scratch.write { $0.columns = 5 }
    let check = try scratch.run("qpdf", "--check", "a.pdf")
    #expect(!check.contains("ERROR"))
    #expect(!check.lowercased().contains("error:"))
    try scratch.run("pdftoppm", "-r", "20", "a.pdf", "page")
    let pages = try scratch.folder.tree().keys.filter { $0.hasPrefix("page-") }
    #expect(pages.count == summary.pages)
    let fonts = try scratch.run("pdffonts", "a.pdf").split(separator: "\n").dropFirst(2)
    #expect(!fonts.isEmpty)
    for font in fonts {
      // the columns at the end: embedded, subset, with a table of characters, and the number of the object
      #expect(font.split(separator: " ").suffix(5).first == "yes", "\(font)")
    }
  }

  @Test("Catalogue: thumbnails are embedded byte for byte")
  func thumbnails() throws {
    let scratch = try CatalogueScratch(["Cars": ["one", "two", "three"]])
    try scratch.write()
    try scratch.run("pdfimages", "-j", "a.pdf", "image")
    let images = try scratch.folder.tree().keys.filter { $0.hasPrefix("image-") }
    #expect(images.count == 3)
    for image in images { #expect(try scratch.folder.bytes(image) == SampleImage.jpeg) }
  }

  @Test("Catalogue: the outline leads to the first page of each category")
  func outline() throws {
    let scratch = try CatalogueScratch([
      "Cars": (1...100).map { "\($0)" }, "العائلة": ["x"], "Empty": [], "Zoo <b>": ["y"],
    ])
    let summary = try scratch.write { $0.columns = 5 }
    struct Document: Decodable { let outlines: [Entry] }
    struct Entry: Decodable {
      let title: String
      let destpageposfrom1: Int
    }
    let json = try scratch.run(
      "qpdf", "--no-warn", "--json=1", "--json-key=outlines", "a.pdf")
    let outlines = try JSONDecoder().decode(Document.self, from: Data(json.utf8)).outlines
    #expect(outlines.map(\.title) == ["Cars", "العائلة", "Zoo <b>"])
    #expect(outlines.map(\.destpageposfrom1) == [2, summary.pages - 1, summary.pages])
    // the heading is on each page of the category
    for page in 2..<summary.pages - 1 {
      let text = try scratch.run("pdftotext", "-f", "\(page)", "-l", "\(page)", "a.pdf", "-")
      #expect(text.hasPrefix("Cars\n"), "page \(page)")
      #expect(Self.comparable(text).contains("\(page)/\(summary.pages)"), "page \(page)")
    }
  }

  @Test("Catalogue: the name of a category may have any characters, also those that Unicode assigns to none")
  func anyCharacters() throws {
    var numbers = SeededNumbers(seed: 29)
    let noncharacters = (0...0x10FFFF).compactMap(Unicode.Scalar.init).filter(
      \.properties.isNoncharacterCodePoint)
    try #require(noncharacters.count == 66)
    var names = [String(String.UnicodeScalarView(noncharacters))]
    for _ in 0..<20 {
      let scalars = (0..<40).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 1...0x10FFFF, using: &numbers))
      }
      names.append(String(String.UnicodeScalarView(scalars)))
    }
    for name in names {
      let scratch = try CatalogueScratch([name: [name]])
      try scratch.write()
      try scratch.run("qpdf", "--check", "a.pdf")
    }
  }

  @Test("Catalogue: categories, dates and the order select the photos")
  func selection() throws {
    let scratch = try CatalogueScratch(["Cars": ["a", "c", "B"], "Zoo": ["z"]])
    let library = try sampleContents(scratch)
    func names(_ configure: (inout CatalogueOptions) -> Void) throws -> [[String]] {
      var options = CatalogueOptions()
      configure(&options)
      return try Catalogue(title: "t", library, options).sections.map { $0.photos.map(\.name) }
    }
    #expect(try names { _ in } == [["a", "c", "B"], ["z"]])
    #expect(try names { $0.order = .dateOldest } == [["B", "c", "a"], ["z"]])
    #expect(try names { $0.order = .name } == [["a", "B", "c"], ["z"]])
    #expect(try names { $0.order = .nameDescending } == [["c", "B", "a"], ["z"]])
    #expect(try names { $0.selection.categories = ["Zoo"] } == [["z"]])
    #expect(try names { $0.selection.taken.since = 1_700_000_000_000 - 86_400_000 } == [["a"]])
    #expect(try names { $0.selection.taken.until = 1_700_000_000_000 - 3 * 86_400_000 } == [["z"]])
    #expect(throws: LibraryError.noSuchCategory("Boats")) {
      try names { $0.selection.categories = ["Boats"] }
    }
  }

  private func sampleContents(_ scratch: CatalogueScratch) throws -> LibraryContents {
    try scratch.sample.contents
  }

  @Test("Catalogue: photos are ordered by size")
  func sizes() {
    let photos = [(1, 30), (2, 10), (3, 20), (4, 20)].map { id, size in
      Photo(
        id: Int64(id), categoryId: 1, name: "", path: "", originalPath: "", createdAt: 0, fileSize: size,
        md5: nil)
    }
    #expect(PhotoOrder.size.sorted(photos).map(\.id) == [1, 4, 3, 2])
    #expect(PhotoOrder.sizeSmallest.sorted(photos).map(\.id) == [2, 3, 4, 1])
  }

  @Test("Catalogue: a photo that cannot be drawn, or is an asset of the app, is an empty tile with its name")
  func tiles() throws {
    let scratch = try CatalogueScratch(["Cars": ["one"]])
    try scratch.sample.change(adding: [
      SampleLibrary.Member(id: 2, name: "broken", fileName: "broken.jpg", bytes: Array("no image".utf8)),
      SampleLibrary.Member(id: 3, name: "bitmap", fileName: "old.bmp", bytes: Array("BM".utf8)),
      SampleLibrary.Member(asset: "asset.png", id: 4, name: "of the app"),
    ])
    let summary = try scratch.write()
    #expect(summary.photos == 4)
    #expect(summary.tiles == 3)
    #expect(
      summary.failed.map(\.message) == [
        "photo 2 “broken” in “Cars” cannot be drawn: the file is corrupt, or no image"
      ])
    #expect(summary.fill.undrawable.count == 1)
    let text = try scratch.run("pdftotext", "a.pdf", "-")
    for name in ["broken", "bitmap", "of the app"] { #expect(text.contains(name)) }
  }

  @Test("Catalogue: a missing photo is reported although the cache has its thumbnail")
  func missingPhoto() throws {
    let scratch = try CatalogueScratch(["Cars": ["one", "two"], "Zoo": ["three"]])
    for photo in try scratch.sample.contents.photos where photo.name != "one" {
      try FileManager.default.removeItem(
        atPath: scratch.sample.path.appending(FilePath(photo.path).components).string)
    }
    let summary = try scratch.write { $0.selection.categories = ["Cars"] }
    #expect(summary.tiles == 0)
    #expect(summary.failed.map(\.message) == ["photo 2 “two” in “Cars” is missing in the library"])
  }

  @Test("Catalogue: only the thumbnails of the selected photos are drawn")
  func drawnSelection() throws {
    let scratch = try CatalogueScratch(["Cars": ["one"], "Zoo": ["two"]])
    try PictureCache.clear(Library(path: scratch.sample.path))
    let summary = try scratch.write { $0.selection.categories = ["Zoo"] }
    #expect(summary.fill.drawn == 1)
    #expect(summary.tiles == 0)
    #expect(try PictureCache.status(of: Library(path: scratch.sample.path)).pictures == 1)
  }

  @Test("Catalogue: characters that no font has are reported once")
  func missingCharacters() throws {
    let scratch = try CatalogueScratch(["Cars": ["\u{F0000}\u{F0001}", "\u{F0001}"]])
    let summary = try scratch.write()
    #expect(summary.missingCharacters == 2)
    #expect(
      summary.warnings == [
        "no font has 2 characters of the names (U+F0000, U+F0001); apt install fonts-noto-core fonts-noto-cjk "
          + "fonts-noto-color-emoji"
      ])
  }

  @Test("Catalogue: a library without photos has a title page")
  func emptyLibrary() throws {
    let scratch = try CatalogueScratch(["Cars": []])
    #expect(try scratch.write().pages == 1)
    #expect(try scratch.run("pdftotext", "a.pdf", "-").contains("0 photos in 0 categories"))
  }

  @Test("Catalogue: a long list of categories continues on further pages")
  func manyCategories() throws {
    let scratch = try CatalogueScratch(["Cars": ["one"]])
    var edit = LibraryEdit()
    edit.newCategories = (2...120).map { id in
      Category(id: id, name: "c\(id)", displayName: "Category \(id)", createdAt: 0, valuesAsOf: 0)
    }
    try scratch.sample.change(
      edit,
      adding: (2...120).map { id in
        SampleLibrary.Member(asset: "asset.png", id: id, category: id, name: "photo \(id)")
      })
    let summary = try scratch.write()
    #expect(summary.pages == 124)
    let list = try scratch.run("pdftotext", "-l", "4", "a.pdf", "-")
    for id in 2...120 { #expect(list.contains("Category \(id)\n"), "\(id)") }
    #expect(try scratch.run("pdftotext", "-f", "124", "-l", "124", "a.pdf", "-").hasPrefix("Category 120\n"))
  }

  // MARK: Publication

  @Test("Catalogue: a file that exists, a folder and a link are not overwritten")
  func existingFile() throws {
    let scratch = try CatalogueScratch(["Cars": ["one"]])
    try scratch.folder.write("mine", to: "a.pdf")
    try scratch.folder.makeFolder("folder")
    try scratch.folder.link("link", to: "a.pdf")
    for name in ["a.pdf", "folder", "link"] {
      #expect(throws: CatalogueError.exists(scratch.folder.path(name))) { try scratch.write(name) }
    }
    #expect(try scratch.folder.bytes("a.pdf") == Array("mine".utf8))
  }

  @Test("Catalogue: a file in the library is refused")
  func insideLibrary() throws {
    let scratch = try CatalogueScratch(["Cars": ["one"]])
    let path = scratch.sample.path.appending("photos/a.pdf")
    #expect(throws: LibraryError.self) {
      try CatalogueRun(
        libraryPath: scratch.sample.path, path: path, options: CatalogueOptions(), counter: ProgressCounter()
      ).run()
    }
  }

  @Test("Catalogue: a cancelled run leaves no file")
  func cancellation() throws {
    let scratch = try CatalogueScratch(["Cars": ["one"]])
    let counter = ProgressCounter()
    counter.cancel()
    #expect(throws: CancellationError.self) {
      try CatalogueRun(
        libraryPath: scratch.sample.path, path: scratch.folder.path("a.pdf"), options: CatalogueOptions(),
        counter: counter
      ).run()
    }
    #expect(try scratch.folder.tree().isEmpty)
  }

  @Test("Catalogue: the file has the permissions of its owner only")
  func permissions() throws {
    let scratch = try CatalogueScratch(["Cars": ["one"]])
    try scratch.write()
    let path = scratch.folder.path("a.pdf").string
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }
}
