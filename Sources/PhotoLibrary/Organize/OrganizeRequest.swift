import FileSystem
import Operations

/// The values of a category that a person sets; nil for those that stay as they are.
package struct CategoryValues: Sendable, Equatable {
  /// The displayed name.
  package var displayName: String?
  /// The colour, "#RRGGBB".
  package var colorHex: String?
  /// The name of an icon in the apps.
  package var iconResource: String?
  /// The place among the categories, from 1.
  package var position: Int?

  /// Sets nothing.
  package init() {}

  /// True if a text is a colour: `#` and six hexadecimal digits.
  package static func isColor(_ text: String) -> Bool {
    text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().allSatisfy { $0.isASCII && $0.isHexDigit }
  }
}

/// What a person wants to organize. Categories are given by the displayed name or by `name`.
package enum OrganizeRequest: Sendable {
  /// Adds a category; the values need a displayed name.
  case add(CategoryValues)
  /// Sets values of a category.
  case set(String, CategoryValues)
  /// Puts these categories first, in this order. The others follow in their present order.
  case order([String])
  /// Moves all photos of categories to another one, and removes the categories.
  case merge([String], into: String)
  /// Removes a category that has no photos.
  case removeEmpty(String)
  /// Moves photos to a category.
  case move(LibrarySelection, to: String)
  /// Renames a photo.
  case rename(Int64, to: String)
  /// Renames the selected photos by a template.
  case renameAll(LibrarySelection, NameTemplate)
}

/// Why a library cannot be organized as a person wants. Nothing was changed.
package enum OrganizeError: ExplainedError, Equatable, Sendable, CustomStringConvertible {
  /// A name is not valid.
  case invalidName(String, NameRule.Fault)
  /// Another category has this displayed name.
  case nameTaken(String, by: String)
  /// A category cannot be merged into itself; its displayed name.
  case mergedIntoItself(String)
  /// An order names a category twice; its displayed name.
  case repeatedCategory(String)
  /// A category has photos, and is not to be removed with them; its displayed name.
  case notEmpty(String, photos: Int)

  /// One line for the user.
  package var description: String { message.escaped }

  package var cause: ErrorCause { .other }

  /// What to do about the error.
  package var remedy: Remedy? { if case .notEmpty = self { .moveOrRemovePhotos } else { nil } }

  private var message: String {
    switch self {
    case .invalidName(let name, let fault): "the name “\(name.shortened)” \(fault)"
    case .nameTaken(let name, let other):
      name.utf8.elementsEqual(other.utf8)
        ? "there is a category “\(name)” already"
        : "there is a category “\(other)” already, which looks like “\(name)”"
    case .mergedIntoItself(let name): "“\(name)” cannot be merged into itself"
    case .repeatedCategory(let name): "the category “\(name)” is given twice; omit one"
    case .notEmpty(let name, let photos):
      "“\(name)” has \(Count(photos, "photo"))"
    }
  }
}
