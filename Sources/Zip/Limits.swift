/// What an archive may ask of this machine before anything is read from it. Generous: they stop an attack
/// or a broken file, not a large library. A limit says nothing about whether a phone can read the archive.
public struct Limits: Sendable, Equatable {
  /// Most entries, directories included.
  public var maximumEntries: Int
  /// Largest central directory, in bytes; this much memory may be taken while it is read.
  public var maximumDirectoryBytes: Int
  /// Largest sum of the uncompressed sizes that the entries declare, in bytes.
  public var maximumBytes: Int

  /// The limits that fit every library that fits a disk of today.
  public init(
    maximumEntries: Int = 2_000_000,
    maximumDirectoryBytes: Int = 1 << 30,
    maximumBytes: Int = 8 << 40
  ) {
    self.maximumEntries = maximumEntries
    self.maximumDirectoryBytes = maximumDirectoryBytes
    self.maximumBytes = maximumBytes
  }
}
