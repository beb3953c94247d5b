/// The result of an operation with its findings, or an error that has the result of a part of the operation.
public protocol FindingReport {
  /// What is missing from the result, or corrupt in it.
  var findings: [Finding] { get }
}
