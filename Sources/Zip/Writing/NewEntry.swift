/// An entry that is to be written.
struct NewEntry {
  /// Where its bytes come from.
  enum Contents {
    /// From `PlacedContents`, and stored.
    case placed(size: Int)
    /// Rendered when their turn comes, and deflated.
    case text(ArchiveWriter.Text)
  }

  var name: String
  /// In milliseconds since 1970.
  var modified: Int64
  var contents: Contents

  /// Seconds since 1970, kept where a DOS date can say them: it begins in 1980 and ends with 2107.
  var seconds: Int {
    let seconds = modified / 1000 - (modified % 1000 < 0 ? 1 : 0)
    // one day inside, for the time zone
    return Int(min(max(seconds, 315_619_200), 4_354_732_800))
  }
}
