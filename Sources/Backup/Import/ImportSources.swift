import ArchiveCatalog
import FileSystem
import Secrets
import SystemPackage

/// The backups that an import reads: the given files, and all backups in the given folders.
package struct ImportSources {
  /// A file to open.
  package struct Source: Sendable {
    /// The path.
    package let path: FilePath
    /// True if the file was found in a folder. The import reports such a file if it cannot be opened, and imports the
    /// others.
    package let isInFolder: Bool
  }

  /// The files in the order of the import: those of a folder oldest first, unreadable ones last.
  package let sources: [Source]

  /// Lists the folders. Blocks; writes nothing.
  ///
  /// - Throws: `FileError` if a folder cannot be listed, or the errors of `whileReading`.
  package init(
    _ places: [FilePath], password: Secret? = nil, ledger: Ledger? = nil, whileReading: () throws -> Void = {}
  ) throws {
    sources = try places.flatMap { place in
      guard (try? Directory.open(place)) != nil else { return [Source(path: place, isInFolder: false)] }
      let inventory = try ArchiveInventory(
        folder: place, password: password, ledger: ledger, whileReading: whileReading)
      let paths = inventory.archives.map(\.path) + inventory.unreadable.map(\.path)
      return paths.map { Source(path: FilePath($0), isInFolder: true) }
    }
  }
}
