import Foundation

/// A template for the names of several photos: `{date}_{n}`.
package struct NameTemplate: Sendable, Equatable {
  /// A value of a photo in a template.
  package enum Field: String, Sendable, CaseIterable {
    /// The present name.
    case name
    /// The displayed name of the category.
    case category
    /// The day on which the photo was taken, `2025-07-14`, in the time zone of the process.
    case date
    /// The time at which it was taken, `153059`, in the time zone of the process.
    case time
    /// The number of the photo among the chosen ones, by date, from 1, with leading zeros.
    case number = "n"
    /// The ID of the photo.
    case id

    /// The field with its braces.
    package var placeholder: String { "{\(rawValue)}" }
  }

  private enum Part: Equatable {
    case text(String)
    case field(Field)
  }

  private let parts: [Part]

  /// Makes a template; nil if the text is blank or contains a brace that does not belong to a field.
  package init?(_ text: String) {
    guard !text.allSatisfy(\.isWhitespace) else { return nil }
    var parts: [Part] = []
    var rest = Substring(text)
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}"),
        let field = Field(rawValue: String(rest[rest.index(after: open)..<close]))
      else { return nil }
      if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
      parts.append(.field(field))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    self.parts = parts
  }

  /// Returns the name of a photo.
  ///
  /// - Parameters:
  ///   - number: the number of the photo, from 1.
  ///   - count: the number of photos.
  func name(of photo: Photo, in category: String, number: Int, of count: Int) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .field(.name): photo.name
      case .field(.category): category
      case .field(.date): Self.date.format(photo.createdAt.date)
      case .field(.time): Self.time.format(photo.createdAt.date)
      case .field(.number): number.digits(String(count).count)
      case .field(.id): "\(photo.id)"
      }
    }.joined()
  }

  private static let local = Date.ISO8601FormatStyle(timeZone: .current)
  private static let date = local.year().month().day()
  private static let time = local.timeSeparator(.omitted).time(includingFractionalSeconds: false)
}
