import Checksums
import Operations

/// The damage of an archive that was salvaged.
public struct SalvageReport: Sendable, Equatable {
  /// Why the archive cannot be opened normally.
  public var fault: Finding
  /// Missing entries that are not photos of the metadata, by name. Missing photos of the metadata are reported as
  /// unavailable in the backup.
  public var missing: [Finding]
  /// Why the own entries of photos are missing that got the entry of an equal photo, by the photos' indices.
  var replaced: [Int: String]
  /// The MD5 of the recovered `metadata.json`; nil if it is missing.
  var metadataDigest: MD5Digest?

  /// The fault, and the missing entries.
  public var findings: [Finding] { [fault] + missing }
}
