/// What an archive may ask of this machine before anything is read from it: the one place that decides about
/// limits. Generous: they stop an attack or a broken file, not a large library. A limit says nothing about
/// whether a phone can read the archive.
public struct Limits: Sendable, Equatable {
  /// Most entries, directories included.
  public var maximumEntries = 2_000_000
  /// Largest central directory, in bytes; this much memory may be taken while it is read.
  public var maximumDirectoryBytes = 1 << 30
  /// Largest sum of the uncompressed sizes that the entries declare, in bytes. Reading stops at what an entry
  /// declares, so this bounds time and disk too.
  public var maximumBytes = 8 << 40
  /// Largest document that is held in memory whole, in bytes: 256 MiB, some 500,000 photos.
  public var maximumDocumentBytes = 256 << 20
  /// Deepest nesting of objects and lists in a document. Backups have three levels.
  public var maximumNesting = 64

  /// The limits that fit every library that fits a disk of today.
  public init() {}

  /// Every limit by its name.
  public static var table: [(name: String, limit: WritableKeyPath<Limits, Int> & Sendable)] {
    [
      ("entries", \.maximumEntries),
      ("bytes of the directory", \.maximumDirectoryBytes),
      ("bytes", \.maximumBytes),
      ("bytes of a document", \.maximumDocumentBytes),
      ("nesting of a document", \.maximumNesting),
    ]
  }

  /// The defaults after a change.
  public func with(_ limit: WritableKeyPath<Limits, Int>, _ value: Int) -> Limits {
    var limits = self
    limits[keyPath: limit] = value
    return limits
  }
}
