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
  /// How many of the findings, the first ones, are photos of a library that a repair left corrupt or missing; nil for other
  /// operations.
  package var damagedPhotos: Int?
  /// True if no archive of the library's jobs has an intact file of these photos; nil if that is unknown.
  package var isSearchComplete: Bool?

  private enum CodingKeys: String, CodingKey {
    case archives, folder, message, report, damagedPhotos, isSearchComplete
    case findings = "leftOut"
  }

  /// Makes an empty record.
  package init() {}

  /// Keeps the first findings.
  mutating func keep(_ findings: [Finding]) {
    self.findings = findings.prefix(Self.mostFindings).map { RecordedFinding($0) }
  }
}
