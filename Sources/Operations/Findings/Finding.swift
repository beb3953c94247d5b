/// A problem of a photo, an entry or a file that an operation found and did not stop for.
public struct Finding: Sendable, Hashable, Codable, CustomStringConvertible {
  /// What a finding is about. The texts are safe for a terminal if the operation escaped them.
  public enum Subject: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A photo, with its ID in the library or backup and its label: `photo 7 “IMG_0001” in “Family”`.
    case photo(id: Int64, label: String)
    /// A file, with its path.
    case file(String)
    /// A folder, with its path.
    case folder(String)
    /// An entry of an archive, or a part of its metadata, with its name.
    case entry(String)
    /// A job, with its name.
    case job(String)

    /// How messages refer to the subject.
    public var description: String {
      switch self {
      case .photo(_, let label): label
      case .file(let path), .folder(let path): path
      case .entry(let name), .job(let name): name
      }
    }

    /// The ID of the photo; nil if the subject is not a photo.
    public var photoID: Int64? { if case .photo(let id, _) = self { id } else { nil } }
  }

  /// What the finding is about.
  public var subject: Subject
  /// What is wrong, as a sentence that tells the subject.
  public var message: String
  /// What a person can do about it, which the message does not mention.
  public var remedy: Remedy?

  /// Makes a finding with a complete message.
  public init(_ subject: Subject, message: String, remedy: Remedy? = nil) {
    (self.subject, self.message, self.remedy) = (subject, message, remedy)
  }

  /// Makes a finding whose message is `subject: reason`.
  public init(_ subject: Subject, _ reason: String, remedy: Remedy? = nil) {
    self.init(subject, message: "\(subject): \(reason)", remedy: remedy)
  }

  /// How messages refer to the subject.
  public var item: String { subject.description }

  /// The message.
  public var description: String { message }

  /// Returns the finding with the path of a backup before its message, for operations on several backups.
  public func from(_ backup: some CustomStringConvertible) -> Finding {
    Finding(subject, message: "\(backup): \(message)", remedy: remedy)
  }
}
