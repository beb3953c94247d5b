import Operations

/// The photos of a gallery, and how its pages look. The pages are in the folder that has `photos` and `thumbnails`: an
/// unpacked archive, or a folder that was written for the gallery.
package struct Gallery: Sendable {
  /// A photo.
  package struct Photo: Sendable, Equatable {
    /// The displayed name, of any text.
    package var name: String
    /// The day on which it was taken, `2025-07-14`.
    package var day: String
    /// The path of the photo's file, relative to the gallery's folder; if the gallery has none, that of a picture of it.
    /// Nil if its name has no extension of a photo: a browser could run a script in it.
    package var file: String?
    /// The path of the picture that a click opens, since browsers do not show the file; nil if a click opens the file.
    package var view: String?
    /// The thumbnail; nil if the photo has none.
    package var thumbnail: Thumbnail?

    /// Describes a photo.
    package init(
      name: String, day: String, file: String?, view: String? = nil, thumbnail: Thumbnail? = nil
    ) {
      (self.name, self.day, self.file, self.view) = (name, day, file, view)
      self.thumbnail = thumbnail
    }

    /// The path of what a click opens; nil for nothing.
    var picture: String? { view ?? file }
    /// The year in which it was taken.
    var year: String { String(day.dropLast("-MM-DD".count)) }
  }

  /// The thumbnail of a photo.
  package struct Thumbnail: Sendable, Equatable {
    /// The path of its file, relative to the gallery's folder.
    package let path: String
    /// The width in pixels.
    package let width: Int
    /// The height in pixels.
    package let height: Int

    /// Describes a thumbnail.
    package init(_ path: String, width: Int, height: Int) {
      (self.path, self.width, self.height) = (path, width, height)
    }
  }

  /// A category with its photos, in the order in which they are shown.
  package struct Category: Sendable {
    /// The displayed name, of any text.
    package var name: String
    /// The photos.
    package var photos: [Photo]

    /// Describes a category.
    package init(name: String, photos: [Photo]) { (self.name, self.photos) = (name, photos) }
  }

  /// How the pages look.
  package struct Style: Sendable, Equatable {
    /// The colours.
    package var theme = GalleryTheme.smilepile
    /// Light or dark.
    package var appearance = GalleryAppearance.system
    /// The size of the text in percent.
    package var textSize = 100
    /// The sizes that a user can choose, in percent.
    package static let textSizes = 100...200
    /// A chosen theme that does not exist.
    private var unknownTheme: String?

    /// The default style.
    package init() {}

    /// Chooses a theme. An unknown name chooses the default theme, which `warning` says.
    package mutating func choose(themeNamed name: String) {
      let known = GalleryTheme.named(name)
      theme = known ?? .smilepile
      unknownTheme = known == nil ? String(name.prefix(100)) : nil
    }

    /// What the user should know about the choice; nil for nothing.
    package var warning: String? {
      unknownTheme.map { "no theme is named “\($0)”; the gallery has the theme \(theme.name)" }
    }
  }

  /// What the gallery is, and which files of the photos it has.
  package enum Form: Sendable, Equatable {
    /// An archive. `photos` has the photos' files, and the file with this name lists the checksums.
    case archive(checksums: String)
    /// A folder whose `photos` has the photos' files.
    case originals
    /// A folder whose `view` has smaller pictures of the photos, and whose `photos` has those that cannot be drawn.
    case pictures
  }

  /// Which photos of the library the gallery has.
  package enum Extent: Sendable, Equatable {
    /// All.
    case all
    /// Those that a person selected.
    case selection
    /// Those of one archive in a set of `count`.
    case part(number: Int, count: Int)
    /// Those that no earlier archive has. The name is that of the newest earlier archive.
    case increment(base: String)
  }

  /// What the pages state about themselves.
  package struct Facts: Sendable {
    /// The version of the program that makes the pages.
    package var version: String
    /// The day on which they are made, `2025-07-14`.
    package var day: String
    /// What the gallery is.
    package var form: Form
    /// Which photos it has.
    package var extent: Extent

    /// States these facts.
    package init(version: String, day: String, form: Form, extent: Extent = .all) {
      (self.version, self.day, self.form, self.extent) = (version, day, form, extent)
    }
  }

  /// The most photos on a page. Without JavaScript, browsers load all images of a page at once.
  package static let photosOnPage = 500

  /// The categories, in the order in which they are shown.
  package let categories: [Category]
  /// How the pages look.
  package let style: Style
  let facts: Facts
  /// The suffix of the page names in `gallery`, different for each content; nil for none.
  let edition: String?
  /// The pages of photos, by number minus one.
  let sections: [Section]

  /// A page of photos: those of one category, or a part of them.
  struct Section {
    let category: Int
    let photos: Range<Int>
    /// The number of the page among those of its category, from 1.
    let number: Int
  }

  /// Divides the categories into pages.
  ///
  /// - Parameter edition: the suffix of the page names in `gallery`, of letters and digits; nil for none.
  package init(
    _ categories: [Category], style: Style = Style(), _ facts: Facts, edition: String? = nil
  ) {
    (self.categories, self.style, self.facts, self.edition) = (categories, style, facts, edition)
    sections = categories.enumerated().flatMap { index, category in
      stride(from: 0, to: category.photos.count, by: Self.photosOnPage).enumerated().map { part, start in
        let end = min(start + Self.photosOnPage, category.photos.count)
        return Section(category: index, photos: start..<end, number: part + 1)
      }
    }
  }

  /// The number of photos.
  package var photoCount: Int { categories.saturatedSum(\.photos.count) }

  /// The page that a reader opens first.
  package static let startPage = "index.html"

  /// More bytes than a page has before its list of categories.
  package static let headBytes = 64 << 10

  /// Returns true if a document is the start page of a gallery with an edition, which begins with a link to the page about
  /// the gallery.
  ///
  /// - Parameter head: the first `headBytes` bytes of the document.
  package static func isStartPage(_ head: [UInt8]) -> Bool {
    String(decoding: head, as: UTF8.self).contains(/href="gallery\/about-[0-9a-f]{16}\.html"/)
  }

  /// The page about the gallery.
  var aboutPage: String { path(ofPage: "about") }

  func path(ofPage index: Int) -> String { path(ofPage: "\(index + 1)") }

  private func path(ofPage name: String) -> String {
    "gallery/\(name)\(edition.map { "-\($0)" } ?? "").html"
  }

  /// A page that is rendered when it is written.
  package struct Page {
    /// The path, relative to the gallery's folder.
    package let path: String
    /// Returns the HTML document.
    package let render: () -> String
  }

  /// All pages, the start page first.
  package var pages: [Page] {
    let writer = PageWriter(self)
    return [
      Page(path: Self.startPage, render: writer.startPage),
      Page(path: aboutPage, render: writer.aboutPage),
    ] + sections.indices.map { index in Page(path: path(ofPage: index)) { writer.page(index) } }
  }
}
