/// A problem of a photo, an entry or a file that an operation found and did not stop for.
public struct Finding: Sendable, Equatable, CustomStringConvertible {
  /// How messages refer to the item: `photo 7 “IMG_0001” in “Family”`, or a path.
  public var item: String
  /// The message, which includes the item.
  public var message: String
  /// What a person can do about it, which the message does not mention.
  public var remedy: Remedy?

  /// Makes a finding with a complete message.
  public init(_ item: String, message: String, remedy: Remedy? = nil) {
    self.item = item
    self.message = message
    self.remedy = remedy
  }

  /// Makes a finding whose message is `item: reason`.
  public init(_ item: String, _ reason: String, remedy: Remedy? = nil) {
    self.init(item, message: "\(item): \(reason)", remedy: remedy)
  }

  /// The message.
  public var description: String { message }

  /// Returns the finding with the path of a backup before its message, for operations on several backups.
  public func from(_ backup: some CustomStringConvertible) -> Finding {
    Finding(item, message: "\(backup): \(message)", remedy: remedy)
  }
}
