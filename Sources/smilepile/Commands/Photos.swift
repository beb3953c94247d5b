import ArgumentParser
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary

struct Photos: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the categories and photos of a library.",
    discussion: """
      Prints the ID of each photo first. Messages show this ID, and `remove --id` accepts it.

      Example:
        smilepile photos -l ~/Family --category Family
      """,
    aliases: ["ls"])

  @Option(name: .shortAndLong, help: "Only this category; may be given several times.")
  var category: [String] = []

  @OptionGroup var library: LibraryOption
  @OptionGroup var output: CommonOptions

  private struct CategoryLine: Encodable {
    let messageType = "category"
    var id: Int64
    var name: String
    var displayName: String
    var photos: Int
  }

  private struct PhotoLine: Encodable {
    let messageType = "photo"
    var id: Int64
    var category: String
    var name: String
    var path: String
    var createdAt: Int64
    var bytes: Int
    var width: Int
    var height: Int
    var md5: String?
    var isFromAssets: Bool
    var isFavorite: Bool

    init(_ photo: Photo, in category: PhotoLibrary.Category) {
      id = photo.id
      self.category = category.name
      name = photo.name
      path = photo.path
      createdAt = photo.createdAt
      bytes = photo.fileSize
      width = photo.width
      height = photo.height
      md5 = photo.md5?.description
      isFromAssets = photo.isFromAssets
      isFavorite = photo.isFavorite ?? false
    }
  }

  private struct Summary: Encodable {
    let messageType = "summary"
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
          id: category.id, name: category.name, displayName: category.displayName, photos: photos.count))
      reporter.result(Self.table(of: photos))
      for photo in photos { reporter.json(PhotoLine(photo, in: category)) }
    }
    let listed = categories.flatMap { byCategory[$0.id] ?? [] }
    reporter.json(
      Summary(
        categories: categories.count, photos: listed.count,
        bytes: listed.saturatedSum { $0.isFromAssets ? 0 : $0.fileSize }))
  }

  private static func table(of photos: [Photo]) -> TextTable {
    TextTable(
      .right, .left, .right, .left, .left, indentation: 2,
      rows: photos.map { photo in
        [
          "\(photo.id)",
          Date(milliseconds: photo.createdAt).formatted(.iso8601.year().month().day()),
          photo.isFromAssets ? "in the app" : "\(ByteCount(photo.fileSize))",
          photo.width > 0 ? "\(photo.width)×\(photo.height)" : "-",
          photo.name.escaped,
        ]
      })
  }
}
