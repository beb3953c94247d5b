/// Chooses the names to write for categories, so that Android's import finds each category again.
///
/// Android's merge splits `name` at every `_`, capitalizes each part, joins the parts with blanks, and searches for
/// a category with that display name, ignoring the case of ASCII letters. If Android finds none, it adds the
/// category with a new id, but files the photos under the id in the backup. That id may be another category on that
/// phone. (Source: the app's public code, September 2025.)
struct AndroidCategoryNames {
  /// The name to write for each category.
  let names: [String]
  /// The categories that Android cannot find by any name, by index.
  let unfindable: [Int]

  init(_ categories: [Metadata.CategoryRecord]) {
    // two categories with one name would become one on the phone
    var taken = Set(categories.map(\.name))
    var shown: Set<String> = []
    var names: [String] = []
    var unfindable: [Int] = []
    for (index, category) in categories.enumerated() {
      let isShownOnce = shown.insert(category.displayName.asciiLowercased).inserted
      let name = Self.candidates(category).first { name in
        Self.finds(name, category.displayName) && (name == category.name || taken.insert(name).inserted)
      }
      names.append(name ?? category.name)
      if name == nil || !isShownOnce { unfindable.append(index) }
    }
    (self.names, self.unfindable) = (names, unfindable)
  }

  /// Returns the category's own name, the names that the apps derive from the display name, and the display name.
  private static func candidates(_ category: Metadata.CategoryRecord) -> [String] {
    let shown = category.displayName
    return [
      category.name, shown.lowercased().replacing(" ", with: "_"), shown.replacing(" ", with: "_"), shown,
    ]
  }

  /// Returns true if Android finds the category with this display name by this name.
  private static func finds(_ name: String, _ displayName: String) -> Bool {
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    let shown = parts.map { $0.capitalizingFirst }.joined(separator: " ")
    return shown.asciiLowercased.utf8.elementsEqual(displayName.asciiLowercased.utf8)
  }
}

extension StringProtocol {
  /// The text with an uppercase first letter. Like Kotlin, converts only the first UTF-16 unit.
  fileprivate var capitalizingFirst: String {
    guard let first = unicodeScalars.first, first.value <= 0xFFFF else { return String(self) }
    return first.properties.uppercaseMapping
      + String(String.UnicodeScalarView(unicodeScalars.dropFirst()))
  }

  /// The text with lowercase ASCII letters. Like SQLite's `lower`, leaves other letters alone.
  fileprivate var asciiLowercased: String {
    String(
      decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
