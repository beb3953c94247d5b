import ArchiveCatalog
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// What a rebuild does with a photo whose file is missing.
public enum MissingPhotos: String, Sendable, CaseIterable {
  /// Brings the file back from an archive.
  case restore
  /// Leaves the photo out.
  case leave
}

/// The options of a rebuild.
public struct RebuildOptions: Sendable {
  /// The archives of the library, and folders with archives of it and of other libraries.
  public var archives: [FilePath] = []
  /// Rebuilds the library without an archive if no archive of it is found.
  public var acceptsNoArchive = false
  /// What to do with photos whose files are missing.
  public var missing = MissingPhotos.restore
  /// Reports only, and writes nothing.
  public var isDryRun = false
  /// How long to wait for another writer.
  public var lockWait: Duration = .zero
  /// The number of files to read at once; nil for the best number for the disk.
  public var readers: Int?
  /// The limits for archives.
  public var limits = Limits()
  /// The password for encrypted archives.
  public var password: Secret?
  /// Gives the health of archives and the ID of the library. The rebuild records itself and damaged archives.
  public var ledger: Ledger?
  /// Confirms the rebuild of a library with delete protection whose PIN cannot be read.
  public var authorization = Authorization.refused

  /// Makes the default options.
  public init() {}
}
