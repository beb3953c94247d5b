import Foundation
internal import GRDB

/// What a library remembers of earlier runs of `sort`, and of the photos that a person moved.
struct SortHistory {
  /// The photos that `sort` considered by the same rules.
  let considered: Set<SortedPhoto>
  /// The photos that a person moved to their category.
  let movedByPerson: Set<SortedPhoto>

  /// - Parameter rules: the digest of the rules.
  init(_ database: Database, rules: Data) throws {
    considered = try SortedPhoto.fetchSet(
      "SELECT content, category FROM sortMark WHERE library = (SELECT uuid FROM identity) AND rules = ?",
      [rules], of: "sortMark", database)
    movedByPerson = try SortedPhoto.fetchSet(
      """
      SELECT \(SortedPhoto.contentOfMovement) AS content, destination AS category
      FROM movement JOIN change ON change.id = changeId
      WHERE kind <> '\(Change.Kind.sort.rawValue)' AND origin IS NOT NULL AND destination IS NOT NULL
        AND content IS NOT NULL
      """, of: "movement", database)
  }
}
