import FileSystem
import Operations
import SystemPackage

/// The state of a file at a location. A different length, modification time or status change time means another version,
/// and observations of one version do not apply to another.
public struct ArchiveFile: Sendable, Hashable, Codable {
  /// The absolute path, without symbolic links.
  public let location: String
  /// The length in bytes.
  public let bytes: Int
  /// The modification time, which programs can set.
  public let modifiedAt: Timestamp
  /// The status change time, which only the kernel sets.
  public let changedAt: Timestamp

  /// Makes a value of these parts.
  public init(location: String, bytes: Int, modifiedAt: Timestamp, changedAt: Timestamp) {
    (self.location, self.bytes, self.modifiedAt, self.changedAt) = (location, bytes, modifiedAt, changedAt)
  }

  /// Reads the state of a file; returns nil if the file is missing or cannot be opened. Follows symbolic links. Blocks.
  public init?(at path: FilePath) {
    guard let status = try? File.open(path, .readFollowingLinks).status() else { return nil }
    self.init(path: path, status)
  }

  /// Reads the state of a file; returns nil if the file is missing. Follows symbolic links. Blocks.
  package static func read(at path: FilePath) throws(FileError) -> ArchiveFile? {
    do throws(FileError) {
      return ArchiveFile(path: path, try File.open(path, .readFollowingLinks).status())
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Makes a value from a status. Blocks while it resolves links.
  package init(path: FilePath, _ status: FileStatus) {
    self.init(location: Self.location(of: path), status)
  }

  /// Makes a value from a status.
  package init(location: String, _ status: FileStatus) {
    self.init(location: location, bytes: status.size, modifiedAt: status.modified, changedAt: status.changed)
  }

  /// Returns the absolute path of a file without symbolic links; for a missing file, with the links of its folder
  /// resolved. Blocks.
  package static func location(of path: FilePath) -> String {
    (path.realPath ?? path.lastComponent.flatMap { path.folder.realPath?.appending($0) } ?? path).string
  }

  /// Returns true if this is the same version of the file as `other`, whose state was read later.
  ///
  /// The status change time differs after every change of the file, also after a change of its name or permissions, and
  /// after a copy of it has taken its place. FAT and exFAT do not store that time: after a mount it is not later than the
  /// modification time, as for no other file that was changed and got an old modification time. So the times may differ
  /// if the later one is not later than the modification time. The inode is not compared: FAT, exFAT and FUSE assign new
  /// inodes at each mount, and a file that another has replaced has another status change time.
  ///
  /// FAT stores local time in steps of two seconds: the kernel rounds a modification time when the disk is mounted again.
  /// After a change of the time zone, it shifts the time by quarters of an hour. The status change time may be that of the
  /// creation, with hundredths of a second, and is then later than the rounded time by less than two seconds.
  public func isSameVersion(as other: ArchiveFile) -> Bool {
    guard location == other.location, bytes == other.bytes else { return false }
    let isRounded = other.modifiedAt.rawValue % 2000 == 0
    let isStored = other.changedAt > other.modifiedAt + (isRounded ? 2000 : 0)
    guard isStored else { return hasModificationTime(of: other) }
    return modifiedAt == other.modifiedAt && changedAt == other.changedAt
  }

  /// Returns true if the file has the size and the modification time of `other`. Its content may have been changed.
  package func hasSizeAndDate(of other: ArchiveFile) -> Bool {
    location == other.location && bytes == other.bytes && hasModificationTime(of: other)
  }

  /// Returns true if the modification times are the same, apart from what FAT does to them.
  private func hasModificationTime(of other: ArchiveFile) -> Bool {
    if modifiedAt == other.modifiedAt { return true }
    guard other.modifiedAt.rawValue % 2000 == 0 else { return false }
    let seconds = abs(Double(modifiedAt.rawValue) - Double(other.modifiedAt.rawValue)) / 1000
    let rest = abs(seconds - (seconds / 900).rounded() * 900)
    return seconds < 27 * 3600 && rest <= 2
  }
}
