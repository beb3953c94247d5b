/// The limits of the resources that an archive may require. They stop an attack or a corrupt file, not a large library,
/// and are independent of what a phone can read.
public struct Limits: Sendable, Equatable {
  /// The most entries, including folders.
  public var maximumEntries = 2_000_000
  /// The greatest size of the central directory, in bytes. Reading it may take this much memory.
  public var maximumDirectoryBytes = 1 << 30
  /// The greatest sum of the uncompressed sizes that the entries declare, in bytes. Reading stops at the size that an
  /// entry declares, so this limit bounds time and disk space too.
  public var maximumBytes = 8 << 40
  /// The greatest size of a document that is read into memory, in bytes: 256 MiB, about 500,000 photos.
  public var maximumDocumentBytes = 256 << 20
  /// The deepest nesting of objects and lists in a document. Backups have three levels.
  public var maximumNesting = 64

  /// Makes the default limits, which fit every library that fits on a current disk.
  public init() {}

  /// The limits for archives that this program has just written: a library may be larger than the limits for archives of
  /// unknown origin.
  package static var trusted: Limits {
    var limits = Limits()
    limits.maximumEntries = .max
    limits.maximumDirectoryBytes = .max
    limits.maximumBytes = .max
    limits.maximumDocumentBytes = .max
    return limits
  }
}
