import Foundation
import Operations

/// The details of an operation of a command, in the column `record` of the ledger.
package struct OperationRecord: Sendable, Equatable, Codable {
  /// The most findings that the ledger keeps for one operation.
  static let mostFindings = 1000

  /// The paths of the archives that the operation wrote, read or removed.
  package var archives: [String] = []
  /// The folder of the extracted photos, or of the removed archives.
  package var folder: String?
  /// What is missing from the result, or corrupt in it, up to the limit; the row counts all.
  package var findings: [RecordedFinding] = []
  /// Why the operation failed, in one line.
  package var message: String?
  /// The path of the report of a restore test.
  package var report: String?
  /// The photos that a repair of a library left corrupt or missing; nil for other operations.
  package var photosLeft: PhotosLeft?

  private enum CodingKeys: String, CodingKey {
    case archives, folder, message, report, photosLeft
    case findings = "leftOut"
  }

  /// The photos that a repair of a library left corrupt or missing: the first of the findings.
  package struct PhotosLeft: Sendable, Equatable, Codable {
    /// The number of photos.
    package var count: Int
    /// True if every archive of the library's jobs was searched, so that none has an intact file of the photos.
    package var isSearchComplete: Bool
  }

  /// Makes an empty record.
  package init() {}

  /// Keeps the first findings.
  mutating func keep(_ findings: [Finding]) {
    self.findings = findings.prefix(Self.mostFindings).map { RecordedFinding($0) }
  }
}
