/// An entry to write.
struct NewEntry {
  /// The source of its bytes.
  enum Contents {
    /// `StoredContents` provides them.
    case stored(size: Int)
    /// They are rendered when the entry is written, and deflated unless they are compressed already.
    case text(ArchiveWriter.Text, isCompressed: Bool)
  }

  var name: String
  /// In milliseconds since 1970.
  var modified: Int64
  var contents: Contents

  /// The size of a stored entry; nil for a text.
  var storedSize: Int? {
    if case .stored(let size) = contents { size } else { nil }
  }

  /// Seconds since 1970, within the range of DOS dates: 1980 to 2107.
  var seconds: Int {
    let seconds = modified / 1000 - (modified % 1000 < 0 ? 1 : 0)
    // a day less at each end, for the time zone
    return Int(min(max(seconds, 315_619_200), 4_354_732_800))
  }
}
