import Operations
import SystemPackage

/// The result of an export, or the forecast of a dry run.
struct ExportOutcome {
  /// The plan that was carried out, without photos that could not be read.
  let plan: ExportPlan
  /// The fingerprint of everything that was selected.
  let fingerprint: ContentFingerprint
  /// The published archives; empty for a dry run.
  var archives: [FilePath] = []
  /// How many archives there are, or would be.
  var parts = 1
  /// Bytes of all archives.
  var archiveBytes = 0
  /// The photos whose corrupt files the archive contains, as the library has them.
  var corruptInLibrary: [Finding] = []
  /// Why phones refuse the archives, apart from encryption.
  var phoneRefusals: [String] = []
  /// Other warnings.
  var warnings: [String] = []
  /// True if nothing was written.
  var isDryRun = false
}
