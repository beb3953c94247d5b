/// What an operation found about the photos of a library.
public struct PhotoFindings: Sendable {
  /// Photos whose files are corrupt or missing.
  public var damaged: [Finding]
  /// True if no archive of the library's jobs has an intact file of these photos.
  public var areInNoArchive: Bool
  /// Returns true for the ID of a photo that the operation read, or that the library no longer has. Unless it is damaged, the
  /// photo is intact.
  public var covers: @Sendable (Int64) -> Bool

  /// Describes what an operation found.
  public init(
    damaged: [Finding], areInNoArchive: Bool = false,
    covers: @escaping @Sendable (Int64) -> Bool = { _ in false }
  ) {
    (self.damaged, self.areInNoArchive, self.covers) = (damaged, areInNoArchive, covers)
  }

  /// Describes the findings of an operation that read every photo.
  public init(ofEveryPhoto damaged: [Finding], areInNoArchive: Bool = false) {
    self.init(damaged: damaged, areInNoArchive: areInNoArchive) { _ in true }
  }
}
