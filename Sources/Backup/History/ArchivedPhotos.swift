import ArchiveCatalog
import Checksums
import Operations
import PhotoLibrary
import Secrets
import SystemPackage

/// The contents of the photos in archives: tells whether the archives contain every photo of a backup.
package struct ArchivedPhotos {
  private var files: Set<FileContent> = []
  /// The MD5s of the photos that a restore yields.
  private var restored: Set<MD5Digest> = []

  /// Makes a value without photos.
  package init() {}

  /// Reads the photos that a restore of archives yields. Blocks.
  ///
  /// - Returns: nil if an archive that the restore needs is missing, partially recovered, or not verified as it was before
  ///   and after it was read.
  /// - Throws: the errors of `OpenedBackup`.
  package init?(
    ofVerified archives: [ArchiveDescriptor], in inventory: ArchiveInventory, _ ledger: Ledger,
    _ password: Secret?
  ) throws {
    var read: Set<String> = []
    for archive in archives {
      guard let members = try? inventory.members(of: archive),
        members.allSatisfy({ !$0.isPartiallyRecovered && inventory.graph.health(of: $0).verifiedAt != nil })
      else { return nil }
      for member in members where read.insert(member.path).inserted {
        add(
          try OpenedBackup(path: FilePath(member.path), limits: .trusted, password: password),
          // all parts of a set are restored; of a chain, only the archive itself
          isRestored: archive.part != nil || member == archive)
      }
    }
    // the archives may have been replaced while they were read
    let files = read.compactMap { ArchiveFile(at: FilePath($0)) }
    guard files.count == read.count, ledger.health(of: files).allSatisfy({ $0.verifiedAt != nil }) else {
      return nil
    }
  }

  /// Adds the files of an archive. The archives of its chain are added one by one.
  ///
  /// - Parameter isRestored: true for an archive whose photos a restore yields; false for its bases, which may have files
  ///   of photos that the library has no more.
  package mutating func add(_ archive: OpenedBackup, isRestored: Bool) {
    for photo in archive.photos {
      // a photo that was already corrupt when the archive was made does not count
      if isRestored, photo.originalMD5 == nil, let md5 = photo.location.md5 { restored.insert(md5) }
      if photo.location.ownEntry != nil, let content = photo.location.content { files.insert(content) }
    }
  }

  /// Returns true if a restore of the archives yields a file with this content.
  package func contain(_ content: FileContent) -> Bool {
    restored.contains(content.md5) && files.contains(content)
  }

  /// Returns true if the archives contain the file of every photo of a backup. Reads the entries for which the backup has
  /// no MD5. Blocks.
  ///
  /// - Returns: false if the backup has a photo without its file.
  package func containEveryPhoto(of backup: OpenedBackup, _ counter: ProgressCounter) throws -> Bool {
    try backup.completingChecksums(counter).photos.allSatisfy { photo in
      switch photo.location {
      case .asset: return true
      case .entry: return photo.location.content.map(contain) ?? false
      case .file, .unavailable: return false
      }
    }
  }
}
