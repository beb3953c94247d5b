extension Metadata {
  /// The kind of file that contains a `metadata.json`.
  package enum Container: String, Sendable {
    /// An archive with photo files.
    case zip = "ZIP"
    /// A JSON document without photo files.
    case json = "JSON"
  }

  /// The program that made a backup, as far as the content shows it.
  package enum Origin: String, Sendable {
    /// The Android app.
    case android
    /// The iOS app.
    case ios
    /// This project.
    case smilepile
    /// Unknown.
    case unknown
  }
}
