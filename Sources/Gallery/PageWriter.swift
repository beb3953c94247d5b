import FileSystem
import HTML

/// Writes the pages of a gallery.
struct PageWriter {
  let gallery: Gallery
  private let sheet: StyleSheet
  private let policy: ContentSecurityPolicy

  init(_ gallery: Gallery) {
    self.gallery = gallery
    sheet = gallery.style.sheet
    policy = ContentSecurityPolicy(style: sheet, script: Self.script, images: .folder)
  }

  // MARK: Pages

  /// The page with all categories.
  func startPage() -> String {
    document(title: "Photos", at: Gallery.startPage) { main in
      main.element("h1", text: "Photos")
      main.element("p", ["class": "facts"], text: summary)
      if let extent { main.element("p", ["class": "facts"], text: extent) }
      hint(&main)
      main.element("ul", ["class": "categories"]) { list in
        for index in gallery.categories.indices {
          list.newline()
          list.element("li") { card(ofCategory: index, &$0) }
        }
      }
    }
  }

  /// A page of photos.
  func page(_ index: Int) -> String {
    let section = gallery.sections[index]
    let category = gallery.categories[section.category]
    let pages = pages(ofCategory: section.category)
    let path = gallery.path(ofPage: index)
    let part = pages.count > 1 ? ", page \(section.number) of \(pages.count)" : ""
    let years = years(of: section)
    let shown = (first: section.photos.lowerBound + 1, of: category.photos.count)
    return document(title: category.name + part, at: path, photos: shown) { main in
      main.element("h1") { title in
        title.name(category.name)
        title.text(part)
      }
      let onPage = "Photos \(section.photos.lowerBound + 1) to \(section.photos.upperBound) of \(shown.of)"
      main.element(
        "p", ["class": "facts"], text: pages.count > 1 ? onPage : "\(Count(category.photos.count, "photo"))")
      hint(&main)
      pageLinks(pages, current: index, isFirst: true, at: path, &main)
      yearLinks(years, &main)
      for year in years {
        if years.count > 1 { heading(of: year, &main) }
        main.element("ul", ["class": "photos"]) { list in
          for number in year.photos {
            list.newline()
            list.element("li") { item(category.photos[number], at: path, &$0) }
          }
        }
      }
      pageLinks(pages, current: index, isFirst: false, at: path, &main)
    }
  }

  var summary: String {
    "\(Count(gallery.photoCount, "photo")) in \(Count(gallery.categories.count, "category", "categories")), "
      + "as of \(gallery.facts.day)."
  }

  /// Tells a reader that there are other photos; nil if the gallery has all.
  var extent: String? {
    switch gallery.facts.extent {
    case .all: nil
    case .selection: "This gallery has a selection of the photos."
    case .part(let number, let count):
      "This is part \(number) of \(count). The other parts have the other photos."
    case .increment(let base):
      "This archive is incremental: it has only the photos that were new when it was made. The other photos are in "
        + "the archive “\(base)” and in archives that are older."
    }
  }

  // MARK: Parts

  /// A sentence for readers who opened the page without the files beside it. The script shows it only if the first
  /// picture of the page is missing.
  private func hint(_ html: inout HTMLDocument) {
    html.element(
      "p", ["class": "hint", "role": "status"],
      text: "Are pictures missing? \(unpacking) Then open \(Gallery.startPage) in this folder.")
  }

  /// How a reader gets all files that the pages need.
  var unpacking: String {
    switch (gallery.facts.form, gallery.facts.extent) {
    case (.archive, .part): "First unpack all files of this part into a folder of its own."
    case (.archive, _): "First unpack all files of the archive into one folder."
    case (.originals, _), (.pictures, _): "First copy all files of this gallery into one folder."
    }
  }

  private func card(ofCategory index: Int, _ card: inout HTMLDocument) {
    let category = gallery.categories[index]
    let pages = pages(ofCategory: index)
    let content: (inout HTMLDocument) -> Void = { card in
      cover(of: category, &card)
      card.element("span", ["class": "name"]) { $0.name(category.name) }
      card.element("span", ["class": "facts"], text: "\(Count(category.photos.count, "photo"))")
    }
    guard let first = pages.first else { return card.element("div", ["class": "card"], content) }
    card.element(
      "a", ["class": "card", "href": link(to: gallery.path(ofPage: first), at: Gallery.startPage)], content)
    guard pages.count > 1 else { return }
    card.element("span", ["class": "parts"]) { parts in
      parts.text("Pages")
      for (number, page) in pages.enumerated() {
        parts.element(
          "a",
          [
            "href": link(to: gallery.path(ofPage: page), at: Gallery.startPage),
            "aria-label": "\(category.name), page \(number + 1)",
          ], text: "\(number + 1)")
      }
    }
  }

  /// The thumbnail of the first photo that has one, or an empty field.
  private func cover(of category: Gallery.Category, _ card: inout HTMLDocument) {
    picture(category.photos.lazy.compactMap(\.thumbnail).first, at: Gallery.startPage, &card)
  }

  private func item(_ photo: Gallery.Photo, at path: String, _ item: inout HTMLDocument) {
    item.element("a", ["class": "photo", "href": photo.picture.map { link(to: $0, at: path) }]) { anchor in
      picture(photo.thumbnail, at: path, &anchor)
      anchor.element("span", ["class": "name"]) { $0.name(photo.name) }
      anchor.element("time", ["datetime": photo.day], text: photo.day)
    }
    guard photo.view != nil, let file = photo.file else { return }
    let label = "Original" + (file.fileNameExtension.map { " (\($0.uppercased()))" } ?? "")
    item.element(
      "a",
      [
        "class": "original", "href": link(to: file, at: path), "aria-label": "\(label): \(photo.name)",
      ], text: label)
  }

  /// A thumbnail, or an empty field. The text beside it names the photo, so that a screen reader would read an `alt` a
  /// second time.
  private func picture(_ thumbnail: Gallery.Thumbnail?, at path: String, _ html: inout HTMLDocument) {
    guard let thumbnail else {
      return html.element("span", ["class": "tile", "aria-hidden": "true"]) { _ in }
    }
    html.void(
      "img",
      [
        "src": link(to: thumbnail.path, at: path), "alt": "", "width": "\(thumbnail.width)",
        "height": "\(thumbnail.height)", "loading": "lazy", "decoding": "async",
      ])
  }

  func pages(ofCategory category: Int) -> Range<Int> {
    let pages = gallery.sections.indices.filter { gallery.sections[$0].category == category }
    return pages.first.map { $0..<$0 + pages.count } ?? 0..<0
  }

  // MARK: Documents

  /// - Parameter photos: the number of the first photo on the page, from 1, and the number of photos in its category;
  ///   nil if the page has no photos.
  func document(
    title: String, at path: String, photos: (first: Int, of: Int)? = nil,
    _ content: (inout HTMLDocument) -> Void
  ) -> String {
    var page = HTMLDocument()
    page.element("html", ["lang": "en"]) { html in
      html.newline()
      html.head(title: title, sheet, policy)
      html.newline()
      html.element("body") { body in
        body.element("a", ["class": "skip", "href": "#content"], text: "Skip to the content")
        body.element("header") { header in
          header.element("nav", ["aria-label": "Gallery"]) { nav in
            for (target, text) in [(Gallery.startPage, "All categories"), (gallery.aboutPage, "About")] {
              nav.element(
                "a",
                ["href": link(to: target, at: path), "aria-current": target == path ? "page" : nil],
                text: text)
            }
          }
        }
        body.newline()
        body.element(
          "main",
          [
            "id": "content", "tabindex": "-1", "data-first": photos.map { "\($0.first)" },
            "data-total": photos.map { "\($0.of)" },
          ], content)
        body.newline()
        body.script(Self.script)
      }
    }
    page.newline()
    return page.source
  }

  /// Returns a relative reference to a file of the gallery: each component is encoded, so that no character of a name has a
  /// meaning in a URL. https://www.rfc-editor.org/rfc/rfc3986#section-2.1
  func link(to path: String, at page: String) -> String {
    let up = String(repeating: "../", count: page.utf8.count { $0 == UInt8(ascii: "/") })
    return up + path.split(separator: "/").map { Self.encoded($0) }.joined(separator: "/")
  }

  private static func encoded(_ component: Substring) -> String {
    var text = ""
    for byte in component.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += digits.count < 2 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }
}
