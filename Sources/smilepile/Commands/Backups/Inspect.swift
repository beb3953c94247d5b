import ArgumentParser
import Backup
import FileSystem
import Foundation
import PhotoLibrary
import SystemPackage

struct Inspect: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what a backup contains.",
    discussion: """
      Without the password of an encrypted backup, shows only the number and the size of its entries.

      Example:
        smilepile inspect smilepile_backup_20251003_140000.zip
      """)

  @Argument(help: "The backup.", completion: .file(), transform: PathArgument.parse)
  var backup: String

  @OptionGroup var password: PasswordOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var reporter: Reporter

  func run() async throws {
    let secret = try password.read(reporter)
    do {
      report(try OpenedBackup(path: FilePath(backup), limits: limits.limits, password: secret))
    } catch BackupError.passwordNeeded(let path) {
      report(try EncryptionSummary(path: path, limits: limits.limits))
    }
  }

  private func report(_ source: OpenedBackup) {
    let metadata = source.metadata
    let encryption = source.archive.map { EncryptionSummary($0) }
    let date = metadata.exportDate?.iso8601
    show(
      [
        ("format", "\(source.format.rawValue), version \(metadata.version)"),
        ("made by", source.origin.rawValue + (metadata.appVersion.isEmpty ? "" : " \(metadata.appVersion)")),
        ("made on", date ?? "unknown"),
        ("categories", "\(metadata.categories.count)"),
        ("photos", "\(source.photos.count)"),
        ("photo files", "\(source.photoFiles), \(ByteCount(source.photoBytes))"),
        ("encrypted", encryption?.description ?? "no"),
      ] + structure(of: source))
    let counts = Dictionary(source.photos.map { ($0.record.categoryId, 1) }, uniquingKeysWith: +)
    for category in metadata.categories {
      reporter.result(
        "  \(category.displayName.escaped): \(Count(counts[category.id] ?? 0, "photo"))")
    }
    let missing = source.photos.compactMap { photo -> String? in
      guard source.format == .zip, !photo.isStoredInBase, let unavailable = photo.location.unavailable
      else { return nil }
      return "\(source.label(of: photo)): \(unavailable.reason)"
    }
    let warnings = missing + (source.corruptBeforeBackup + source.skipped).map(\.message) + source.warnings
    for warning in warnings { reporter.warn(warning) }
    for name in source.unknownEntries { reporter.warn("\(name.escaped) is an unknown entry") }
    reporter.json("summary", Self.fields(source, encryption, warnings))
  }

  /// - Parameter source: nil if the password is missing; its values are then null.
  private static func fields(
    _ source: OpenedBackup?, _ encryption: EncryptionSummary?, _ warnings: [String] = []
  ) -> JSONFields {
    let metadata = source?.metadata
    let part = metadata?.smilepile?.part
    return [
      "format": (source?.format ?? .zip).rawValue, "version": Null(metadata?.version),
      "origin": Null(source?.origin.rawValue), "app_version": Null(metadata?.appVersion),
      "export_date": Null(metadata?.exportDate), "categories": Null(metadata?.categories.count),
      "photos": Null(source?.photos.count), "photo_files": Null(source?.photoFiles),
      "bytes": Null(source?.photoBytes),
      "increment": Null(
        source?.increment.map {
          [
            "base": $0.baseID, "depth": $0.chainDepth, "stored_in_base": source?.photosStoredInBase,
          ] as JSONFields
        }),
      "part": Null(
        part.map { ["set": $0.set, "number": $0.number, "count": $0.count] as JSONFields }),
      "encrypted": !(encryption?.methods.isEmpty ?? true), "encryption": encryption?.methods ?? [],
      "entries": Null(encryption?.entries), "entry_bytes": Null(encryption?.bytes), "warnings": warnings,
      "untracked": source?.unknownEntries ?? [],
    ]
  }

  /// Returns the part and the base of the archive, if any.
  private func structure(of source: OpenedBackup) -> [(String, String)] {
    var fields: [(String, String)] = []
    if let part = source.metadata.smilepile?.part {
      fields.append(("part", "\(part.number) of \(part.count), set \(part.set)"))
    }
    if let increment = source.increment {
      let stored = Count(source.photosStoredInBase, "photo of this archive is", "photos of this archive are")
      fields.append(("base", "archive \(increment.baseID), in which \(stored) stored"))
      fields.append(("chain depth", "\(increment.chainDepth)"))
    }
    return fields
  }

  /// Reports the facts that are available without the password.
  private func report(_ encryption: EncryptionSummary) {
    show(
      [
        ("format", Metadata.Container.zip.rawValue),
        ("entries", "\(encryption.entries), \(ByteCount(encryption.bytes))"),
        ("encrypted", encryption.description),
      ])
    reporter.note("for more, give the password, for example with --password-prompt")
    reporter.json("summary", Self.fields(nil, encryption))
  }

  private func show(_ fields: [(String, String)]) {
    reporter.result(TextTable(.left, .left, rows: fields.map { [$0.0, $0.1.escaped] }))
  }
}
