import ArgumentParser
import Backup
import FileSystem
import Foundation
import PhotoLibrary

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "List the categories and photos of a library.",
    discussion: """
      Ids are the library's own, as messages name them.

      Example:
        smilepile ls -l ~/Family --category Family
      """)

  @Option(name: .shortAndLong, help: "This category alone; may be given several times.")
  var category: [String] = []

  @OptionGroup var library: LibraryOption
  @OptionGroup var output: OutputOptions

  private struct CategoryLine: Encodable {
    var message_type = "category"
    var id: Int64
    var name: String
    var display_name: String
    var photos: Int
  }

  private struct PhotoLine: Encodable {
    var message_type = "photo"
    var id: Int64
    var category: String
    var name: String
    var path: String
    var created_at: Int64
    var bytes: Int
    var width: Int
    var height: Int
    var md5: String?
    var is_from_assets: Bool
    var is_favorite: Bool
  }

  private struct Summary: Encodable {
    var message_type = "summary"
    var categories: Int
    var photos: Int
    var bytes: Int
  }

  func run() async throws {
    let contents = try Library(path: library.path()).contents()
    let reporter = Reporter(output)
    let categories = category.isEmpty ? contents.categories : try contents.categories.named(category)
    let byCategory = Dictionary(grouping: contents.photos, by: \.categoryId)
    for category in categories {
      let photos = byCategory[category.id] ?? []
      reporter.result(
        "\(category.id)  \(category.displayName.escaped)  (\(category.name.escaped), "
          + "\(Count(photos.count, "photo")))")
      reporter.json(
        CategoryLine(
          id: category.id, name: category.name, display_name: category.displayName, photos: photos.count))
      for photo in photos { show(photo, in: category, reporter) }
    }
    let listed = categories.flatMap { byCategory[$0.id] ?? [] }
    reporter.json(
      Summary(
        categories: categories.count, photos: listed.count,
        bytes: listed.reduce(0) { $0 + ($1.isFromAssets ? 0 : $1.fileSize) }))
  }

  private func show(_ photo: Photo, in category: PhotoLibrary.Category, _ reporter: Reporter) {
    let id = String(photo.id).padded(toColumns: 8)
    let date = Date(milliseconds: photo.createdAt).formatted(.iso8601.year().month().day())
    let size = (photo.isFromAssets ? "in the app" : "\(ByteCount(photo.fileSize))").padded(toColumns: 10)
    let pixels = photo.width > 0 ? "\(photo.width)×\(photo.height)" : "-"
    let padding = String(repeating: " ", count: max(0, 9 - pixels.count))
    reporter.result("  \(id)  \(date)  \(size)  \(pixels)\(padding)  \(photo.name.escaped)")
    reporter.json(
      PhotoLine(
        id: photo.id, category: category.name, name: photo.name, path: photo.path,
        created_at: photo.createdAt, bytes: photo.fileSize, width: photo.width, height: photo.height,
        md5: photo.md5?.description, is_from_assets: photo.isFromAssets,
        is_favorite: photo.isFavorite ?? false))
  }
}
