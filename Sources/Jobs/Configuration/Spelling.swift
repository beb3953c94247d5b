/// Suggests corrections of misspelled words.
enum Spelling {
  /// Returns the most similar word; nil if no word is similar.
  static func nearest(to word: String, among words: some Sequence<String>) -> String? {
    words.map {
      (word: $0, distance: isBeginning(word, of: $0) ? 0 : distance(word.lowercased(), $0.lowercased()))
    }
    .filter { $0.distance <= max(1, word.count / 3) }
    .min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
  }

  /// True if one word is the beginning of the other.
  private static func isBeginning(_ word: String, of other: String) -> Bool {
    let (word, other) = (word.lowercased(), other.lowercased())
    return word.count > 2 && (other.hasPrefix(word) || word.hasPrefix(other))
  }

  /// Returns the number of inserted, removed or changed letters between two words: the Levenshtein distance.
  private static func distance(_ one: String, _ other: String) -> Int {
    let (one, other) = (Array(one), Array(other))
    var row = Array(0...other.count)
    for (i, a) in one.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in other.enumerated() {
        (diagonal, row[j + 1]) = (
          row[j + 1], min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1))
        )
      }
    }
    return row[other.count]
  }
}
