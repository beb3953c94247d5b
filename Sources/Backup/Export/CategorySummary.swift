import Foundation
import Operations

/// Android's summary of a category, an element of `categories_summary.json`. The Android app writes it beside its gallery:
/// `ExportManager.kt`.
struct CategorySummary: Encodable {
  static let entryName = "categories_summary.json"

  let categoryId: Int64
  let categoryName: String
  let photoCount: Int
  let totalSize: Int
  let oldestPhoto: Timestamp?
  let newestPhoto: Timestamp?

  private enum CodingKeys: CodingKey {
    case categoryId, categoryName, photoCount, totalSize, oldestPhoto, newestPhoto
  }

  /// Encodes null for the dates of a category without photos, as the app does.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(categoryId, forKey: .categoryId)
    try container.encode(categoryName, forKey: .categoryName)
    try container.encode(photoCount, forKey: .photoCount)
    try container.encode(totalSize, forKey: .totalSize)
    try container.encode(oldestPhoto, forKey: .oldestPhoto)
    try container.encode(newestPhoto, forKey: .newestPhoto)
  }

  /// Returns the document of the photos of an archive.
  static func document(of plan: ExportPlan) throws -> [UInt8] {
    let byCategory = Dictionary(grouping: plan.photos, by: \.categoryId)
    let summaries = plan.categories.map { category in
      let photos = byCategory[category.id] ?? []
      return CategorySummary(
        categoryId: category.id, categoryName: category.displayName, photoCount: photos.count,
        totalSize: photos.saturatedSum(\.fileSize), oldestPhoto: photos.map(\.createdAt).min(),
        newestPhoto: photos.map(\.createdAt).max())
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(summaries))
  }
}
