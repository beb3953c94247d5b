package import PhotoLibrary

/// What a search for duplicates looks for.
package struct DuplicateRequest: Sendable {
  /// How similar photos must be; nil for the setting of the library.
  package var threshold: SimilarityThreshold?
  /// The categories to search, by the displayed name or by `name`; all if empty.
  package var categories: [String] = []
  /// True to find series, too.
  package var findsSeries = false
  /// How long to wait for a process that clears the cache or deletes photo files.
  package var lockWait = Library.readersWait

  /// Looks for copies in all categories.
  package init() {}
}
