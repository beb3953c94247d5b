package import Operations
package import SystemPackage

extension Work where Summary == DuplicateSummary {
  /// Starts looking for similar photos in a library. Draws the pictures that the cache lacks. Changes no photo.
  ///
  /// The summary throws `HelperError` if a picture is to be drawn and nothing can be drawn on this machine;
  /// `LibraryError`, `FileLock.Busy` or `FileError`.
  package static func findDuplicates(
    _ request: DuplicateRequest = DuplicateRequest(), in library: FilePath
  ) -> Self {
    Work { counter in try DuplicateSearchRun(path: library, request: request, counter: counter).run() }
  }
}
