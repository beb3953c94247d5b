import HTML
import TestSupport
import Testing

@testable import Gallery

/// The pages of a gallery. Browsers read them in `scripts/browsers`.
struct GalleryTests {
  private static let facts = facts(.archive(checksums: "checksums.md5"))

  private static func facts(_ form: Gallery.Form) -> Gallery.Facts {
    Gallery.Facts(version: "1.2.3", day: "2026-11-26", form: form)
  }

  private func photos(_ count: Int, name: String = "beach", day: String = "2025-07-14") -> [Gallery.Photo] {
    (0..<count).map { number in
      Gallery.Photo(
        name: name, day: day, file: "photos/\(number)_a.jpg",
        thumbnail: Gallery.Thumbnail("thumbnails/thumb_\(number)_a.jpg", width: 300, height: 200))
    }
  }

  private func pages(_ gallery: Gallery) -> [(path: String, page: String)] {
    gallery.pages.map { ($0.path, $0.render()) }
  }

  private func page(named name: String) -> String {
    let photo = photos(1, name: name)
    return pages(Gallery([Gallery.Category(name: name, photos: photo)], Self.facts))[2].page
  }

  @Test("Gallery: no page has more than 500 photos, and each photo is on one page")
  func pageSize() {
    let gallery = Gallery(
      [
        Gallery.Category(name: "One", photos: photos(1001)), Gallery.Category(name: "None", photos: []),
        Gallery.Category(name: "Two", photos: photos(500)),
      ], Self.facts)
    let pages = pages(gallery)
    #expect(pages.map(\.path) == ["index.html", "gallery/about.html"] + (1...4).map { "gallery/\($0).html" })
    #expect(pages.dropFirst(2).map { $0.page.matches(of: /class="photo"/).count } == [500, 500, 1, 500])
  }

  @Test("Gallery: the start page links every page of photos")
  func reachable() {
    let gallery = Gallery(
      [
        Gallery.Category(name: "One", photos: photos(1001)), Gallery.Category(name: "Two", photos: photos(1)),
      ],
      Self.facts)
    let start = pages(gallery)[0].page
    for number in 1...4 { #expect(start.contains("href=\"gallery/\(number).html\"")) }
  }

  @Test(
    "Gallery: a name is text, whatever it contains",
    arguments: [
      ("\"><script>alert(1)</script>", "<bdi>\"&gt;&lt;script&gt;alert(1)&lt;/script&gt;</bdi>"),
      ("</style>", "<bdi>&lt;/style&gt;</bdi>"), ("' onerror=", "<bdi>' onerror=</bdi>"),
      ("a\u{202E}b\0", "<bdi>a\u{FFFD}b\u{FFFD}</bdi>"), ("%2e%2e/#?", "<bdi>%2e%2e/#?</bdi>"),
    ])
  func names(name: String, expected: String) {
    #expect(page(named: name).matches(of: /<script>/).count == 1)
    #expect(page(named: name).contains(expected))
  }

  @Test(
    "Gallery: a reference encodes every character that has a meaning in a URL",
    arguments: [
      ("photos/1_a b#?%.jpg", "../photos/1_a%20b%23%3F%25.jpg"), ("photos/1_ü.jpg", "../photos/1_%C3%BC.jpg"),
      ("photos/javascript:x.jpg", "../photos/javascript%3Ax.jpg"), ("photos/\".jpg", "../photos/%22.jpg"),
    ])
  func references(file: String, expected: String) {
    let photo = Gallery.Photo(name: "x", day: "2025-07-14", file: file)
    let page = pages(Gallery([Gallery.Category(name: "x", photos: [photo])], Self.facts))[2].page
    #expect(page.contains("href=\"\(expected)\""))
  }

  @Test("Gallery: a name of 10 KB is complete on the page, and shown with at most three lines")
  func longName() {
    let name = String(repeating: "name ", count: 2048)
    #expect(page(named: name).contains("<bdi>\(name)</bdi>"))
    let rules = Gallery.Style().sheet.source
    #expect(rules.contains(".name { margin-top: .5rem; -webkit-line-clamp: 3; }"))
  }

  @Test("Gallery: the viewer tells why a photo may not be shown, and links its file")
  func viewer() {
    let page = page(named: "x")
    #expect(
      page.contains("The file is missing or damaged, or this browser does not show files of its format."))
    #expect(page.contains("Open the file"))
  }

  @Test("Gallery: each page has the numbers of its photos in the category")
  func numbers() {
    let pages = pages(Gallery([Gallery.Category(name: "One", photos: photos(699))], Self.facts))
    #expect(pages[2].page.contains("data-first=\"1\" data-total=\"699\""))
    #expect(pages[2].page.contains("Photos 1 to 500 of 699"))
    #expect(pages[3].page.contains("data-first=\"501\" data-total=\"699\""))
  }

  @Test(
    "Gallery: the start page and the about page say which photos are not in it",
    arguments: [
      (Gallery.Extent.selection, "a selection of the photos"),
      (.part(number: 2, count: 3), "This is part 2 of 3."),
      (.part(number: 1, count: 3), "First unpack all files of this part into a folder of its own."),
      (.increment(base: "a<b.zip"), "The other photos are in the archive “a&lt;b.zip”"),
    ])
  func extent(extent: Gallery.Extent, sentence: String) {
    let categories = [Gallery.Category(name: "One", photos: photos(1))]
    var facts = Self.facts
    #expect(pages(Gallery(categories, facts)).allSatisfy { !$0.page.contains(sentence) })
    facts.extent = extent
    #expect(pages(Gallery(categories, facts)).prefix(2).allSatisfy { $0.page.contains(sentence) })
  }

  @Test("Gallery: pages of a category have links with their days, above and below the photos")
  func pageLinks() {
    let photos =
      photos(500, day: "2018-05-17") + photos(499, day: "2016-02-03") + photos(1, day: "2015-01-01")
    let pages = pages(Gallery([Gallery.Category(name: "One", photos: photos)], Self.facts))
    let (one, two) = (pages[2].page, pages[3].page)
    #expect(one.matches(of: />Page 1 · 2018-05-17<\/a>/).count == 2)
    #expect(one.matches(of: />Page 2 · 2016-02-03 to 2015-01-01<\/a>/).count == 2)
    #expect(one.matches(of: /<a rel="next" href="..\/gallery\/2.html">/).count == 2)
    #expect(one.matches(of: /<a rel="prev"/).isEmpty)
    #expect(two.matches(of: /<a rel="prev" href="..\/gallery\/1.html">/).count == 2)
    #expect(two.matches(of: /<a rel="next"/).isEmpty)
    #expect(two.matches(of: /<a href="..\/gallery\/2.html" aria-current="page">/).count == 2)
  }

  @Test("Gallery: a category with one page has no links to pages")
  func onePage() {
    #expect(!page(named: "x").contains("<nav class=\"pages\""))
  }

  @Test("Gallery: the photos of several years have headings and links to them")
  func years() {
    let photos = photos(2, day: "2018-05-17") + photos(1, day: "2018-01-01") + photos(1, day: "2016-12-31")
    let page = pages(Gallery([Gallery.Category(name: "One", photos: photos)], Self.facts))[2].page
    #expect(page.matches(of: /<h2/).count == 2)
    for year in ["2018", "2016"] {
      #expect(page.contains("<a href=\"#year-\(year)\">\(year)</a>"))
      #expect(page.contains("<h2 id=\"year-\(year)\">\(year)</h2>"))
    }
    let files = page.matches(of: /class="photo" href="..\/photos\/(.)_/).map { String($0.1) }
    #expect(files == ["0", "1", "0", "0"])
  }

  @Test("Gallery: the photos of one year have no heading")
  func oneYear() {
    #expect(page(named: "x").matches(of: /<h2|class="years"/).isEmpty)
  }

  @Test("Gallery: a photo that is shown by another picture has a link to its file")
  func original() {
    let photo = Gallery.Photo(
      name: "\"x\"", day: "2025-07-14", file: "photos/1_a b.heic", view: "gallery/view/1.jpg")
    let gallery = Gallery([Gallery.Category(name: "x", photos: [photo])], Self.facts)
    let page = pages(gallery)[2].page
    #expect(page.contains("<a class=\"photo\" href=\"../gallery/view/1.jpg\">"))
    let link = "<a class=\"original\" href=\"../photos/1_a%20b.heic\""
    #expect(page.contains("\(link) aria-label=\"Original (HEIC): &quot;x&quot;\">Original (HEIC)</a>"))
    #expect(pages(gallery)[1].page.contains("HEIC"))
  }

  @Test("Gallery: a photo that browsers show has one link")
  func noOriginal() {
    let gallery = Gallery([Gallery.Category(name: "x", photos: photos(1))], Self.facts)
    #expect(!pages(gallery)[2].page.contains("class=\"original\""))
    #expect(!pages(gallery)[1].page.contains("HEIC"))
  }

  @Test(
    "Gallery: the pages tell how to get all files, and about tells where they are",
    arguments: [
      (Gallery.Form.archive(checksums: "sums.md5"), "unpack all files of the archive", "The folder “photos”"),
      (.originals, "copy all files of this gallery", "The folder “photos”"),
      (.pictures, "copy all files of this gallery", "The folder “view”"),
    ])
  func form(form: Gallery.Form, unpacking: String, folder: String) {
    let gallery = Gallery([Gallery.Category(name: "x", photos: photos(1))], Self.facts(form))
    for (_, page) in pages(gallery) { #expect(page.contains(unpacking)) }
    let about = pages(gallery)[1].page
    #expect(about.contains(folder))
    let isArchive = form == .archive(checksums: "sums.md5")
    #expect(about.contains("<code>md5sum -c sums.md5</code>") == isArchive)
    #expect(about.contains("only the user who unpacked the archive") == isArchive)
  }

  @Test("Gallery: pages made twice are equal")
  func repeatable() {
    let gallery = Gallery([Gallery.Category(name: "One", photos: photos(3))], Self.facts)
    #expect(pages(gallery).map(\.page) == pages(gallery).map(\.page))
  }

  @Test("Gallery: the policy allows the script and the style of the page, and images beside it")
  func policy() {
    let page = page(named: "x")
    let policy = page.firstMatch(of: /http-equiv="Content-Security-Policy" content="([^"]*)"/)
    #expect(policy?.1.hasPrefix("default-src 'none'; img-src 'self' file:; style-src 'sha256-") == true)
    #expect(policy?.1.contains("; script-src 'sha256-") == true)
    #expect(!page.contains("style=\""))
    #expect(!page.contains("http:"))
    #expect(!page.contains("https:"))
  }

  @Test(
    "Themes: text has the contrast of WCAG AA, that of high-contrast AAA, and lines and focus 3:1",
    arguments: GalleryTheme.all)
  func contrast(theme: GalleryTheme) {
    let least = theme.name == "high-contrast" ? 7.0 : 4.5
    for palette in [theme.light, theme.dark] {
      for back in [palette.background, palette.surface] {
        for text in [palette.text, palette.muted, palette.accent] {
          #expect(text.contrast(with: back) >= least)
        }
        #expect(palette.line.contrast(with: back) >= 3)
      }
    }
  }

  @Test("Themes: there are seven, each with a name of its own, and none has an unknown name")
  func themes() {
    #expect(Set(GalleryTheme.all.map(\.name)).count == 7)
    #expect(GalleryTheme.named("liquid-blue")?.name == "liquid-blue")
    #expect(GalleryTheme.named("Liquid Blue") == nil)
  }

  @Test(
    "Style: a fixed appearance has one palette, and the appearance of the system has both",
    arguments: [(GalleryAppearance.system, true, true), (.light, true, false), (.dark, false, true)])
  func appearance(appearance: GalleryAppearance, light: Bool, dark: Bool) {
    var style = Gallery.Style()
    style.appearance = appearance
    style.textSize = 150
    #expect(style.sheet.source.contains("#FFFBFE") == light)
    #expect(style.sheet.source.contains("#1C1B1F;--surface") == dark)
    #expect(style.sheet.source.contains("--size:150%"))
  }
}
