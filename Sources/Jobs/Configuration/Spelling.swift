/// What somebody may have meant.
enum Spelling {
  /// The word that is most like another, nil if none is like it.
  static func nearest(to word: String, among words: some Sequence<String>) -> String? {
    words.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
      .filter { $0.distance <= max(1, word.count / 3) }
      .min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
  }

  /// How many letters have to be put in, taken out or changed to make one word of the other: Levenshtein's distance.
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
