/// What an operation did with one photo, or would do in a dry run.
public struct PhotoReport: Sendable, Equatable {
  /// What was done.
  public enum Action: String, Sendable {
    /// The library has a new row or new values.
    case imported
    /// The archive has the photo.
    case exported
    /// A file was written: by an extraction, or to replace a missing file of the library.
    case restored
    /// Nothing was written, since the photo was there already.
    case skipped
    /// The library has a copy under a new name.
    case renamed
    /// The result does not have the photo.
    case leftOut = "left_out"
  }

  /// What was done.
  public var action: Action
  /// The photo, or the file that was to be added as one.
  public var subject: Finding.Subject
  /// How messages refer to the photo.
  public var item: String { subject.description }
  /// The name of the photo.
  public var name: String
  /// The displayed name of the category; nil if it is not known.
  public var category: String?
  /// The path of the backup, the library or the file that has the photo.
  public var source: String
  /// Why, if the action does not say so itself.
  public var reason: String?

  /// Makes a report.
  public init(
    _ action: Action, _ subject: Finding.Subject, name: String, category: String?, from source: String,
    reason: String? = nil
  ) {
    (self.action, self.subject, self.reason) = (action, subject, reason)
    (self.name, self.category, self.source) = (name, category, source)
  }
}
