import ArgumentParser
import FileSystem
import Foundation
import PhotoLibrary

struct Stats: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say how much a library holds, and when it was last backed up.",
    discussion: """
      Example:
        smilepile stats -l ~/Family
      """)

  @OptionGroup var library: LibraryOption
  @OptionGroup var output: OutputOptions

  private struct Summary: Encodable {
    var message_type = "summary"
    var photos: Int
    var categories: Int
    var bytes: Int
    var last_backup: Int64?
    var last_archive: String?

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: CodingKeys.self)
      try object.encode(message_type, forKey: .message_type)
      try object.encode(photos, forKey: .photos)
      try object.encode(categories, forKey: .categories)
      try object.encode(bytes, forKey: .bytes)
      // null and not left out: "never" is an answer
      try object.encode(last_backup, forKey: .last_backup)
      try object.encode(last_archive, forKey: .last_archive)
    }

    private enum CodingKeys: CodingKey {
      case message_type, photos, categories, bytes, last_backup, last_archive
    }
  }

  func run() async throws {
    let library = try Library(path: library.path())
    let totals = try library.totals()
    let export = try library.lastExport()
    let reporter = Reporter(output)
    reporter.result("photos       \(totals.photos)")
    reporter.result("categories   \(totals.categories)")
    reporter.result("bytes        \(totals.bytes) (\(ByteCount(totals.bytes)))")
    if let export {
      let date = Date(milliseconds: export.at).formatted(.iso8601.dateSeparator(.dash).timeSeparator(.colon))
      reporter.result("last backup  \(date), \(export.archive.escaped)")
    } else {
      reporter.result("last backup  never")
    }
    reporter.json(
      Summary(
        photos: totals.photos, categories: totals.categories, bytes: totals.bytes,
        last_backup: export?.at, last_archive: export?.archive))
  }
}
