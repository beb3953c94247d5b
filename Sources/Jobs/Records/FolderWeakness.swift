import FileSystem
import SystemPackage

/// Why archives in a folder do not protect a library.
struct FolderWeakness {
  /// True if the folder is on the library's own device.
  let isOnSameDevice: Bool
  /// True if the folder is on a file system in memory.
  let isInMemory: Bool

  /// Examines a folder. Blocks.
  ///
  /// - Returns: nil if archives in the folder survive the loss of the library, or if a folder cannot be read.
  init?(of path: FilePath, for library: FilePath) {
    guard let folder = try? Directory.open(path), let one = try? folder.status().identity,
      let other = try? Directory.open(library).status().identity
    else { return nil }
    isOnSameDevice =
      one.device == other.device
      || !BlockDevice.disks(of: one).isDisjoint(with: BlockDevice.disks(of: other))
    isInMemory = (try? folder.fileSystem().isInMemory) == true
    guard isOnSameDevice || isInMemory else { return nil }
  }

  /// Completes a sentence that begins with the folder.
  var message: String {
    isInMemory
      ? "is on a file system in memory; its archives are lost at the next restart"
      : "is on the same device as the library, and does not protect against its failure; use another disk"
  }
}
