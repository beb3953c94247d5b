/// A problem of a photo, an entry or a file that an operation found and did not stop for.
public struct Finding: Sendable, Equatable, CustomStringConvertible {
  /// How messages refer to the item: `photo 7 “IMG_0001” in “Family”`, or a path.
  public var item: String
  /// The message, which includes the item.
  public var message: String

  /// Makes a finding with a complete message.
  public init(_ item: String, message: String) {
    self.item = item
    self.message = message
  }

  /// Makes a finding whose message is `item: reason`.
  public init(_ item: String, _ reason: String) {
    self.init(item, message: "\(item): \(reason)")
  }

  /// The message.
  public var description: String { message }

  /// Returns the finding with the path of a backup before its message, for operations on several backups.
  public func from(_ backup: some CustomStringConvertible) -> Finding {
    Finding(item, message: "\(backup): \(message)")
  }
}
