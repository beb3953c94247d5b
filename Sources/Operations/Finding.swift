/// Something that a piece of work found not to be as it should, and went on without: a photo, an entry, a file.
public struct Finding: Sendable, Equatable, CustomStringConvertible {
  /// What it is, as messages name it: `photo 7 “IMG_0001” in “Family”`, or a path.
  public var item: String
  /// The whole message, which names the item too.
  public var message: String
  /// What a person can do about it, which the message does not mention.
  public var remedy: Remedy?

  /// Something with a message of its own.
  public init(_ item: String, message: String, remedy: Remedy? = nil) {
    self.item = item
    self.message = message
    self.remedy = remedy
  }

  /// Something and what is wrong with it: `item: reason`.
  public init(_ item: String, _ reason: String, remedy: Remedy? = nil) {
    self.init(item, message: "\(item): \(reason)", remedy: remedy)
  }

  /// The message.
  public var description: String { message }

  /// The same in a run over several backups: the message begins with this one's path.
  public func from(_ backup: some CustomStringConvertible) -> Finding {
    Finding(item, message: "\(backup): \(message)", remedy: remedy)
  }
}
