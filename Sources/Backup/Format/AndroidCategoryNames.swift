/// The names under which categories are written, so that Android's import finds each of them again.
///
/// Its merge splits `name` at every `_`, gives each part a capital first letter, joins the parts by blanks, and looks for
/// a category that is shown so, whatever the case of ASCII letters. Where it finds none, it adds the category under a new
/// id, and files the photos under the id in the backup, which may be another category on that phone. (Read off the app's
/// public sources, September 2025.)
struct AndroidCategoryNames {
  /// The name to write for each category.
  let names: [String]
  /// The categories that no name lets Android find, by index.
  let unfindable: [Int]

  init(_ categories: [Metadata.CategoryRecord]) {
    // two categories of one name would become one on the phone
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

  /// Its own name, then what the apps make of what they show, then what is shown itself.
  private static func candidates(_ category: Metadata.CategoryRecord) -> [String] {
    let shown = category.displayName
    return [
      category.name, shown.lowercased().replacing(" ", with: "_"), shown.replacing(" ", with: "_"), shown,
    ]
  }

  /// Whether Android finds a category that is shown so by this name.
  private static func finds(_ name: String, _ displayName: String) -> Bool {
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    let shown = parts.map { $0.capitalizingFirst }.joined(separator: " ")
    return shown.asciiLowercased.utf8.elementsEqual(displayName.asciiLowercased.utf8)
  }
}

extension StringProtocol {
  /// With a capital first letter, as Kotlin makes one: of the first UTF-16 unit alone.
  fileprivate var capitalizingFirst: String {
    guard let first = unicodeScalars.first, first.value <= 0xFFFF else { return String(self) }
    return first.properties.uppercaseMapping
      + String(String.UnicodeScalarView(unicodeScalars.dropFirst()))
  }

  /// With small letters for the capital ones of ASCII, as SQLite's `lower` does.
  fileprivate var asciiLowercased: String {
    String(
      decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
