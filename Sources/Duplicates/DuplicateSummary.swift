package import Operations
package import PhotoLibrary
package import Pictures

/// The result of a search for duplicates.
package struct DuplicateSummary: Sendable, FindingReport {
  /// What decided whether photos are similar.
  let comparison: PhotoComparison
  /// The groups. Those that free most come first.
  package internal(set) var groups: [DuplicateGroup] = []
  /// The library.
  package let contents: LibraryContents
  /// The pictures of the photos.
  let cache: PictureCache
  /// The number of photos that were compared.
  package internal(set) var compared = 0
  /// What was drawn for the comparison.
  package let fill: CacheFillSummary
  /// What the user should know about the cache and the setting.
  package internal(set) var notes: [String] = []

  /// The threshold, which was the same for all pairs.
  package var threshold: SimilarityThreshold { comparison.threshold }

  /// The photos that should have been compared and were not.
  package var findings: [Finding] { fill.failed }
}
