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
      Of an encrypted backup it says so, and without the password nothing else but how many entries and bytes it has.

      Example:
        smilepile inspect smilepile_backup_20251003_140000.zip
      """)

  @Argument(help: "The backup.", completion: .file(), transform: PathArgument.parse)
  var backup: String

  @OptionGroup var password: PasswordOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var output: OutputOptions

  /// What cannot be known without a password is null, and not left out: there is an answer.
  private struct Summary: Encodable {
    var message_type = "summary"
    var format: String
    var version: Int?
    var origin: String?
    var app_version: String?
    var export_date: Int64?
    var categories: Int?
    var photos: Int?
    var photo_files: Int?
    var bytes: Int?
    var increment: Increment?
    var part: Part?
    var encrypted: Bool
    var encryption: [String]
    var entries: Int?
    var entry_bytes: Int?
    var warnings: [String] = []
    var strangers: [String] = []

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: CodingKeys.self)
      try object.encode(message_type, forKey: .message_type)
      try object.encode(format, forKey: .format)
      try object.encode(version, forKey: .version)
      try object.encode(origin, forKey: .origin)
      try object.encode(app_version, forKey: .app_version)
      try object.encode(export_date, forKey: .export_date)
      try object.encode(categories, forKey: .categories)
      try object.encode(photos, forKey: .photos)
      try object.encode(photo_files, forKey: .photo_files)
      try object.encode(bytes, forKey: .bytes)
      try object.encode(increment, forKey: .increment)
      try object.encode(part, forKey: .part)
      try object.encode(encrypted, forKey: .encrypted)
      try object.encode(encryption, forKey: .encryption)
      try object.encode(entries, forKey: .entries)
      try object.encode(entry_bytes, forKey: .entry_bytes)
      try object.encode(warnings, forKey: .warnings)
      try object.encode(strangers, forKey: .strangers)
    }

    private enum CodingKeys: CodingKey {
      case message_type, format, version, origin, app_version, export_date, categories, photos, photo_files,
        bytes, increment, part
      case encrypted, encryption, entries, entry_bytes, warnings, strangers
    }
  }

  /// What an incremental archive rests on, and how many photos have their files there.
  private struct Increment: Encodable {
    var base: String
    var length: Int
    var held: Int
  }

  /// Which of several archives it is.
  private struct Part: Encodable {
    var set: String
    var number: Int
    var count: Int
  }

  func run() async throws {
    let reporter = Reporter(output)
    let secret = try password.read(reporter)
    do {
      report(try OpenedBackup(path: FilePath(backup), limits: limits.limits, password: secret), reporter)
    } catch BackupError.passwordNeeded(let path) {
      report(try EncryptionSummary(path: path, limits: limits.limits), reporter)
    }
  }

  private func report(_ source: OpenedBackup, _ reporter: Reporter) {
    let metadata = source.metadata
    let encryption = source.archive.map { EncryptionSummary($0) }
    let date = metadata.exportDate.map {
      Date(milliseconds: $0).formatted(.iso8601.dateSeparator(.dash).timeSeparator(.colon))
    }
    show(
      [
        ("format", "\(source.format.rawValue), version \(metadata.version)"),
        ("made by", source.origin.rawValue + (metadata.appVersion.isEmpty ? "" : " \(metadata.appVersion)")),
        ("made on", date ?? "unknown"),
        ("categories", "\(metadata.categories.count)"),
        ("photos", "\(source.photos.count)"),
        ("photo files", "\(source.photoFiles), \(ByteCount(source.photoBytes))"),
        ("encrypted", encryption?.description ?? "no"),
      ] + place(of: source), reporter)
    let counts = Dictionary(source.photos.map { ($0.record.categoryId, 1) }, uniquingKeysWith: +)
    for category in metadata.categories {
      reporter.result(
        "  \(category.displayName.escaped): \(Count(counts[category.id] ?? 0, "photo"))")
    }
    let absent = source.photos.compactMap { photo -> String? in
      guard source.format == .zip, !photo.isStoredInBase, let unavailable = photo.location.unavailable
      else { return nil }
      return "\(source.label(of: photo)): \(unavailable.reason)"
    }
    let warnings = absent + (source.damagedBefore + source.leftOut).map(\.message) + source.warnings
    for warning in warnings { reporter.warn(warning) }
    for name in source.unknownEntries { reporter.warn("\(name.escaped) is mentioned nowhere") }
    reporter.json(
      Summary(
        format: source.format.rawValue, version: metadata.version, origin: source.origin.rawValue,
        app_version: metadata.appVersion, export_date: metadata.exportDate,
        categories: metadata.categories.count, photos: source.photos.count,
        photo_files: source.photoFiles, bytes: source.photoBytes,
        increment: source.increment.map {
          Increment(base: $0.base, length: $0.length, held: source.photosStoredInBase)
        },
        part: metadata.smilepile?.part.map { Part(set: $0.set, number: $0.number, count: $0.count) },
        encrypted: !(encryption?.methods.isEmpty ?? true), encryption: encryption?.methods ?? [],
        entries: encryption?.entries, entry_bytes: encryption?.bytes,
        warnings: warnings, strangers: source.unknownEntries))
  }

  /// Where it stands among other archives, if it is not one for itself.
  private func place(of source: OpenedBackup) -> [(String, String)] {
    var fields: [(String, String)] = []
    if let part = source.metadata.smilepile?.part {
      fields.append(("part", "\(part.number) of \(part.count), set \(part.set)"))
    }
    if let increment = source.increment {
      let held = Count(source.photosStoredInBase, "photo")
      fields.append(("rests on", "archive \(increment.base), which holds the files of \(held)"))
      fields.append(("increment", "\(increment.length) of its chain"))
    }
    return fields
  }

  /// What shows without the password.
  private func report(_ encryption: EncryptionSummary, _ reporter: Reporter) {
    show(
      [
        ("format", OpenedBackup.Format.zip.rawValue),
        ("entries", "\(encryption.entries), \(ByteCount(encryption.bytes))"),
        ("encrypted", encryption.description),
      ], reporter)
    reporter.note("the rest shows with the password; see smilepile inspect --help")
    reporter.json(
      Summary(
        format: OpenedBackup.Format.zip.rawValue, encrypted: true, encryption: encryption.methods,
        entries: encryption.entries, entry_bytes: encryption.bytes))
  }

  private func show(_ fields: [(String, String)], _ reporter: Reporter) {
    for (name, value) in fields {
      reporter.result("\(name)\(String(repeating: " ", count: 13 - name.count))\(value.escaped)")
    }
  }
}
