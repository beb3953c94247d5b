import ArgumentParser
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary

struct PhotosCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photos",
    abstract: "List the categories and photos of a library.",
    discussion: """
      Prints the ID of each photo first. Messages show this ID, and `remove --id` accepts it.

      --csv prints a table for spreadsheets: a header, and a row for each photo. A text that a spreadsheet would take \
      for a formula gets an apostrophe in front.

      Example:
        smilepile photos -l ~/Family --category Family
        smilepile photos -l ~/Family --csv > photos.csv
      """,
    aliases: ["ls"])

  @Option(name: .shortAndLong, help: "Only this category; may be given several times.")
  var category: [String] = []

  @Flag(help: "Print a table in the CSV format, in UTF-8 with a byte order mark.")
  var csv = false

  @Flag(help: "With --csv: no byte order mark, no apostrophes, and control characters as they are.")
  var raw = false

  @OptionGroup var library: LibraryOption
  @OptionGroup var reporter: Reporter

  func validate() throws {
    if csv, reporter.printsJSON {
      throw ValidationError("--csv and --json both use standard output; choose one")
    }
    if raw, !csv { throw ValidationError("--raw needs --csv") }
  }

  func run() async throws {
    let contents = try Library(path: library.path()).contents()
    let categories = category.isEmpty ? contents.categories : try contents.categories.named(category)
    let byCategory = Dictionary(grouping: contents.photos, by: \.categoryId)
    if csv {
      let style = raw ? CSVStyle.raw : .spreadsheet
      reporter.raw(style.start + style.row(Self.columns))
      for category in categories {
        let photos = byCategory[category.id] ?? []
        // a reader of a pipe gets the rows in few pieces, since each piece costs a system call
        for start in stride(from: 0, to: photos.count, by: Self.rowsPerPiece) {
          let piece = photos[start..<min(start + Self.rowsPerPiece, photos.count)]
          reporter.raw(piece.map { style.row(Self.values(of: $0, in: category)) }.joined())
        }
      }
      return
    }
    for category in categories {
      let photos = byCategory[category.id] ?? []
      reporter.result(
        "\(category.id)  \(category.displayName.escaped)  (\(category.name.escaped), "
          + "\(Count(photos.count, "photo")))")
      reporter.json(category, photos: photos.count)
      reporter.result(Self.table(of: photos))
      for photo in photos {
        reporter.json(
          "photo",
          [
            "id": photo.id, "category": category.name, "name": photo.name, "path": photo.path,
            "created_at": photo.createdAt, "bytes": photo.fileSize, "width": photo.width,
            "height": photo.height,
            "md5": photo.md5?.description, "is_from_assets": photo.isFromAssets,
            "is_favorite": photo.isFavorite ?? false,
          ])
      }
    }
    let listed = categories.flatMap { byCategory[$0.id] ?? [] }
    reporter.json(
      "summary",
      [
        "categories": categories.count, "photos": listed.count,
        "bytes": listed.saturatedSum { $0.isFromAssets ? 0 : $0.fileSize },
      ])
  }

  private static let rowsPerPiece = 256
  private static let isoStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  private static let columns = [
    "id", "category", "category_display_name", "name", "file_name", "path", "taken_at", "bytes", "width",
    "height", "md5", "is_from_assets", "is_favorite",
  ]

  private static func values(of photo: Photo, in category: PhotoLibrary.Category) -> [(any CSVValue)?] {
    [
      photo.id, category.name, category.displayName, photo.name, photo.fileName, photo.path,
      photo.createdAt.date.formatted(Self.isoStyle), photo.fileSize, photo.width, photo.height,
      photo.md5?.description, "\(photo.isFromAssets)", "\(photo.isFavorite ?? false)",
    ]
  }

  private static func table(of photos: [Photo]) -> TextTable {
    TextTable(
      .right, .left, .right, .left, .left, indentation: 2,
      rows: photos.map { photo in
        [
          "\(photo.id)",
          photo.createdAt.localDay,
          photo.isFromAssets ? "in the app" : "\(ByteCount(photo.fileSize))",
          photo.width > 0 ? "\(photo.width)×\(photo.height)" : "-",
          photo.name.escaped,
        ]
      })
  }
}
