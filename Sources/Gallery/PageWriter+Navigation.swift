import HTML

extension PageWriter {
  /// The photos of a page that were taken in one year.
  struct Year {
    let name: String
    /// The indices in the category.
    var photos: Range<Int>
    /// The ID of its heading.
    var id: String { "year-\(name)" }
  }

  /// Returns the years of a page in the order of its photos.
  func years(of section: Gallery.Section) -> [Year] {
    let photos = gallery.categories[section.category].photos
    return section.photos.reduce(into: []) { years, index in
      if let last = years.indices.last, years[last].name == photos[index].year {
        years[last].photos = years[last].photos.lowerBound..<index + 1
      } else {
        years.append(Year(name: photos[index].year, photos: index..<index + 1))
      }
    }
  }

  /// Links to the headings of the years; nothing if there is only one.
  func yearLinks(_ years: [Year], _ html: inout HTMLDocument) {
    guard years.count > 1 else { return }
    html.element("nav", ["class": "years", "aria-label": "Years"]) { nav in
      for year in years { nav.element("a", ["href": "#\(year.id)"], text: year.name) }
    }
  }

  func heading(of year: Year, _ html: inout HTMLDocument) {
    html.newline()
    html.element("h2", ["id": year.id], text: year.name)
  }

  /// Links to the other pages of a category, above or below its photos; nothing if it has one page.
  func pageLinks(
    _ pages: Range<Int>, current: Int, isFirst: Bool, at path: String, _ html: inout HTMLDocument
  ) {
    guard pages.count > 1 else { return }
    html.newline()
    html.element(
      "nav", ["class": "pages", "aria-label": isFirst ? "Pages" : "Pages, below the photos"]
    ) { nav in
      let neighbors = [(current - 1, "prev", "← Previous page"), (current + 1, "next", "Next page →")]
      for (page, relation, text) in neighbors where pages.contains(page) {
        nav.element(
          "a", ["rel": relation, "href": link(to: gallery.path(ofPage: page), at: path)], text: text)
      }
      nav.element("ul") { list in
        for page in pages {
          list.element("li") { item in
            item.element(
              "a",
              [
                "href": link(to: gallery.path(ofPage: page), at: path),
                "aria-current": page == current ? "page" : nil,
              ], text: label(ofPage: page))
          }
        }
      }
    }
  }

  /// The number of a page and the days of its first and last photo.
  private func label(ofPage index: Int) -> String {
    let section = gallery.sections[index]
    let days = gallery.categories[section.category].photos[section.photos].map(\.day)
    guard let first = days.first, let last = days.last, first != last else {
      return (["Page \(section.number)"] + days.prefix(1)).joined(separator: " · ")
    }
    return "Page \(section.number) · \(first) to \(last)"
  }
}
