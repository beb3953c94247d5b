import Operations

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
  var modified: Timestamp
  var contents: Contents

  /// The size of a stored entry; nil for a text.
  var storedSize: Int? {
    if case .stored(let size) = contents { size } else { nil }
  }

  /// Seconds since 1970, within the range of DOS dates: 1980 to 2107.
  var seconds: Int {
    // a day less at each end, for the time zone
    Int(min(max(modified.seconds.whole, 315_619_200), 4_354_732_800))
  }
}
