import Foundation
import Operations
import PhotoLibrary
import SystemPackage
import TestSupport

@testable import Backup

/// A library with random changes between exports, and its content at each export. The same seed makes the same
/// history.
final class LibraryHistory {
  let library: SampleLibrary
  let folder = ScratchFolder()
  /// The summary of each export, and the content of the library at that time.
  private(set) var exports: [(summary: ExportSummary, content: LibraryContent)] = []
  private var random: SeededNumbers
  private var nextID: Int64 = 1

  /// Makes a library with a number of photos.
  init(seed: UInt64, photos: Int = 0) throws {
    random = SeededNumbers(seed: seed)
    library = try SampleLibrary(categories: [.sample(1, "family"), .sample(2, "cars")])
    try add(photos)
  }

  /// The archives of the exports, the oldest first.
  var archives: [FilePath] { exports.compactMap(\.summary.archive) }

  /// Exports the library incrementally and records its content.
  @discardableResult
  func export(configure: (inout ExportOptions) -> Void = { _ in }) async throws -> ExportSummary {
    let summary = try await library.exporting(to: folder.path) {
      $0.isIncremental = true
      configure(&$0)
    }
    exports.append((summary, try LibraryContent(library)))
    return summary
  }

  /// Makes up to three random changes.
  func changeAtRandom() async throws {
    for _ in 0..<Int.random(in: 0...3, using: &random) { try await step() }
  }

  private func step() async throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...4: try add(Int.random(in: 1...4, using: &random))
    case 5, 6: try await removeAny()
    case 7: try rename()
    case 8: try renameCategory()
    default: try changeSettings()
    }
  }

  /// Adds photos with few contents, so that some are equal to photos that the library has or had.
  func add(_ count: Int) throws {
    let members = (0..<count).map { _ in
      defer { nextID += 1 }
      let (category, content) = (
        Int64.random(in: 1...2, using: &random), UInt8.random(in: 0..<20, using: &random)
      )
      guard content > 1 else {
        return SampleLibrary.Member(asset: "sample/\(content).png", id: nextID, category: category)
      }
      return SampleLibrary.Member(
        id: nextID, category: category, name: "photo \(nextID)", fileName: "IMG_\(content).jpg",
        createdAt: 1_700_000_000_000 + nextID, bytes: Array(repeating: content, count: Int(content) * 50))
    }
    try library.change(adding: members)
  }

  func remove(_ ids: [Int64]) async throws {
    _ = try await Work.remove(LibrarySelection(ids: ids), from: library.path, options: .given).summary
  }

  private func removeAny() async throws {
    let ids = try library.contents.photos.map(\.id).shuffled(using: &random).prefix(2)
    if !ids.isEmpty { try await remove(Array(ids)) }
  }

  private func rename() throws {
    guard var photo = try library.contents.photos.randomElement(using: &random) else { return }
    photo.name += "!"
    var edit = LibraryEdit()
    edit.changedPhotos = [photo]
    try library.change(edit)
  }

  private func renameCategory() throws {
    guard var category = try library.contents.categories.randomElement(using: &random) else { return }
    category.displayName += "!"
    category.valuesAsOf.rawValue += 1
    var edit = LibraryEdit()
    edit.changedCategories = [category]
    try library.change(edit)
  }

  private func changeSettings() throws {
    var edit = LibraryEdit()
    var settings = try library.contents.settings
    settings.theme = .init(
      settings.themeMode == .dark ? .light : .dark, asOf: 1_700_000_000_000 + nextID)
    edit.settings = settings
    try library.change(edit)
  }
}
