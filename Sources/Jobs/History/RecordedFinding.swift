import Foundation
import Operations
import PhotoLibrary

/// A photo, file or archive that is missing from the result of an operation, or corrupt in it, and the reason.
package struct RecordedFinding: Sendable, Equatable, Codable {
  /// How messages refer to the item: `photo 7 “IMG_0001” in “Family”`, or a path.
  package var item: String
  /// Why; empty if it is not known.
  package var reason: String

  /// The item with the reason.
  package var text: String { reason.isEmpty ? item : "\(item): \(reason)" }

  /// The ID of the photo; nil if the item is not a photo.
  var photoID: Int64? { PhotoLabel.id(of: item) }

  /// Makes an item of its parts.
  package init(_ item: String, _ reason: String) { (self.item, self.reason) = (item, reason) }

  /// Describes a finding. Its message often begins with the item, or with a backup and the item.
  package init(_ finding: Finding) {
    let (prefix, message) = ("\(finding.item): ", finding.message)
    let reason =
      message.hasPrefix(prefix)
      ? String(message.dropFirst(prefix.count))
      : message.replacing(": \(prefix)", with: ": ", maxReplacements: 1)
    self.init(finding.item, reason)
  }

  /// Describes a message about a photo, as the record of a backup has it.
  init(message: String) {
    // a category may have a colon in its name
    let end = message.range(of: "”: ") ?? message.range(of: ": ")
    guard let end else {
      self.init(message, "")
      return
    }
    let mark = message[end].hasPrefix("”") ? "”" : ""
    self.init(String(message[..<end.lowerBound]) + mark, String(message[end.upperBound...]))
  }
}
