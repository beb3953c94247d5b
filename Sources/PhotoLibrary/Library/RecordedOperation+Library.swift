import Operations
import SystemPackage

extension RecordedOperation {
  /// Describes an operation on a library.
  package init(
    _ kind: Kind, ofLibrary library: FilePath, archives: [FilePath] = [], isDryRun: Bool = false
  ) {
    self.init(
      kind, library: library, archives: archives, isDryRun: isDryRun,
      libraryID: { try? Library(path: library).libraryID() })
  }
}
