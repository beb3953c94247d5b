/// An entry to write.
struct NewEntry {
  /// The source of its bytes.
  enum Contents {
    /// `PlacedContents` provides them, and they are stored.
    case placed(size: Int)
    /// They are rendered when the entry is written, and deflated unless they are compressed already.
    case text(ArchiveWriter.Text, isCompressed: Bool)
  }

  var name: String
  /// In milliseconds since 1970.
  var modified: Int64
  var contents: Contents

  /// Seconds since 1970, within the range of DOS dates: 1980 to 2107.
  var seconds: Int {
    let seconds = modified / 1000 - (modified % 1000 < 0 ? 1 : 0)
    // a day less at each end, for the time zone
    return Int(min(max(seconds, 315_619_200), 4_354_732_800))
  }
}
