import ArgumentParser
import Backup
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage
import Zip

struct Inspect: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say what is in a backup; nothing is written.",
    discussion: """
      Example:
        smilepile inspect smilepile_backup_20251003_140000.zip
      """)

  @Argument(help: "The backup.", transform: PathArgument.parse)
  var backup: String

  @OptionGroup var limits: LimitOptions
  @OptionGroup var output: OutputOptions

  private struct Summary: Encodable {
    var message_type = "summary"
    var format: String
    var version: Int
    var origin: String
    var app_version: String
    var export_date: Int64?
    var categories: Int
    var photos: Int
    var photo_files: Int
    var bytes: Int
    var encrypted: Bool
    var warnings: [String]
    var strangers: [String]
  }

  func run() async throws {
    let source = try BackupSource(path: FilePath(backup), limits: limits.limits)
    let metadata = source.metadata
    let reporter = Reporter(output)
    let date = metadata.exportDate.map {
      Date(milliseconds: $0).formatted(.iso8601.dateSeparator(.dash).timeSeparator(.colon))
    }
    let isEncrypted = source.archive?.entries.contains(where: \.isEncrypted) ?? false
    let fields: [(String, String)] = [
      ("format", "\(source.format.rawValue), version \(metadata.version)"),
      ("made by", source.origin.rawValue + (metadata.appVersion.isEmpty ? "" : " \(metadata.appVersion)")),
      ("made on", date ?? "unknown"),
      ("categories", "\(metadata.categories.count)"),
      ("photos", "\(metadata.photos.count)"),
      ("photo files", "\(source.photoFiles), \(ByteCount(source.photoBytes))"),
      ("encrypted", isEncrypted ? "yes" : "no"),
    ]
    for (name, value) in fields {
      reporter.result("\(name)\(String(repeating: " ", count: 13 - name.count))\(value.escaped)")
    }
    let counts = Dictionary(grouping: metadata.photos, by: \.categoryId).mapValues(\.count)
    for category in metadata.categories {
      reporter.result(
        "  \(category.displayName.escaped): \(Count(counts[category.id] ?? 0, "photo"))")
    }
    let absent = source.photos.compactMap { photo -> String? in
      guard source.format == .zip, case .absent(let reason, _, _) = photo.content else { return nil }
      return "\(source.label(of: photo)): \(reason)"
    }
    let warnings = absent + source.damagedBefore.map(\.message) + source.warnings
    for warning in warnings { reporter.warn(warning) }
    for name in source.strangers { reporter.warn("\(name.escaped) is mentioned nowhere") }
    reporter.json(
      Summary(
        format: source.format.rawValue, version: metadata.version, origin: source.origin.rawValue,
        app_version: metadata.appVersion, export_date: metadata.exportDate,
        categories: metadata.categories.count, photos: metadata.photos.count,
        photo_files: source.photoFiles, bytes: source.photoBytes, encrypted: isEncrypted,
        warnings: warnings, strangers: source.strangers))
  }
}
