import ArgumentParser
import Duplicates
import FileSystem
import PhotoLibrary
import SystemPackage

/// What a search for duplicates compares.
struct DuplicateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How similar photos must be: 0.85 to 0.98, or 85% to 98%. Higher is stricter, and finds less. Default: the "
        + "setting similarity of the library, or 0.92.", valueName: "similarity"),
    transform: DuplicateOptions.threshold)
  var threshold: SimilarityThreshold?

  @Option(name: .shortAndLong, help: "Only photos of this category; may be given several times.")
  var category: [String] = []

  /// The search for copies.
  var request: DuplicateRequest {
    var request = DuplicateRequest()
    (request.threshold, request.categories) = (threshold, category)
    return request
  }

  /// Returns the command that removes the copies of a group, found by the same search.
  func removal(of number: String, at threshold: SimilarityThreshold, in library: FilePath) -> String {
    let categories = category.map { " --category \($0.shellQuoted)" }.joined()
    return
      "smilepile duplicates remove -l \(library.string.shellQuoted) --threshold \(threshold)\(categories)"
      + " --group \(number)"
  }

  @Sendable private static func threshold(_ text: String) throws -> SimilarityThreshold {
    do {
      return try SimilarityThreshold(text)
    } catch {
      throw ValidationError("\(error)")
    }
  }
}
