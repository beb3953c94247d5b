import Operations

/// The details of an operation, in the column `record` of the ledger.
package struct HistoryDetails: Sendable, Equatable, Codable {
  /// The most findings that the ledger keeps for one operation.
  package static let mostFindings = 1000

  /// The paths of the archives that the operation wrote, read or removed.
  package var archives: [String] = []
  /// The folder of the extracted photos, or of the removed archives.
  package var folder: String?
  /// What is missing from the result, or corrupt in it, up to the limit; the row counts all.
  package var findings: [Finding] = []
  /// Why the operation failed, in one line.
  package var message: String?
  /// The path of the report of a restore test.
  package var report: String?

  /// Makes an empty record.
  package init() {}

  /// Keeps the first findings.
  package mutating func keep(_ findings: [Finding]) {
    self.findings = Array(findings.prefix(Self.mostFindings))
  }
}
