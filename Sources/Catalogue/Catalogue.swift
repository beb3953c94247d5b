import Foundation
import HTML
internal import Operations
package import PhotoLibrary

/// The contents of a catalogue: texts that any reader may see, and the photos by category.
package struct Catalogue: Sendable {
  /// A photo.
  package struct Photo: Sendable {
    /// The displayed name.
    package let name: String
    /// The day on which it was taken, `2025-07-14`.
    package let day: String
    /// The content whose thumbnail is drawn; nil for an asset of the app.
    package let content: FileContent?
  }

  /// A category that has photos.
  package struct Section: Sendable {
    /// The displayed name.
    package let name: String
    /// The photos, in the order in which they are shown.
    package let photos: [Photo]
    /// When the oldest and the newest photo were taken.
    let taken: ClosedRange<Timestamp>
  }

  /// The title of the document.
  package let title: String
  /// The day on which it is made, `2025-07-14`.
  let day: String
  /// The categories with photos, in the order of the library.
  package let sections: [Section]

  /// The number of photos.
  package var photoCount: Int { sections.saturatedSum(\.photos.count) }

  /// Selects photos of a library, and orders them. All days are in the local time zone.
  ///
  /// - Parameter date: the moment whose day the title page has.
  /// - Throws: `LibraryError` if a category does not exist.
  package init(
    title: String, _ library: LibraryContents, _ options: CatalogueOptions, date: Date = Date()
  ) throws(LibraryError) {
    let byCategory = Dictionary(grouping: try options.photos(of: library), by: \.categoryId)
    self.title = Self.line(title)
    self.day = Timestamp(date).localDay
    sections = library.categories.compactMap { category in
      guard let photos = byCategory[category.id], let first = photos.map(\.createdAt).min(),
        let last = photos.map(\.createdAt).max()
      else { return nil }
      return Section(
        name: Self.line(category.displayName),
        photos: options.order.sorted(photos).map { photo in
          Photo(name: Self.line(photo.name), day: photo.createdAt.localDay, content: photo.content)
        },
        taken: first...last)
    }
  }

  /// The most bytes of a text in a document.
  static let mostTextBytes = 16 << 10

  /// Returns a text of one line: replaces characters that a document must not contain, as a gallery does, and leaves out the
  /// middle of a very long text.
  static func line(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n", "\t", "\u{2028}", "\u{2029}": line += " "
      case _ where scalar.isReplacedInDocuments: line += "\u{FFFD}"
      default: line.unicodeScalars.append(scalar)
      }
    }
    guard line.utf8.count > mostTextBytes else { return line }
    let scalars = line.unicodeScalars
    let half = mostTextBytes / 8 - 1
    return "\(String(scalars.prefix(half)))…\(String(scalars.suffix(half)))"
  }
}
