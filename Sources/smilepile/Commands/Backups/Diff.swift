import ArgumentParser
import Backup
import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

struct Diff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compare two archives, or an archive and a library.",
    discussion: """
      Each side is an archive or a library. With one side, compares this side, as the older one, with the library of -l \
      or SMILEPILE_LIBRARY.

      Prints a line for each category and photo: + added, - removed, M changed. A photo that was moved to another \
      category is shown as removed and added. The exit code does not depend on the differences.

      Example:
        smilepile diff monday.zip tuesday.zip
        smilepile diff -l ~/Family /backups/tuesday.zip
      """)

  @Argument(
    help: "One or two archives or libraries, the older first.", completion: .file(),
    transform: PathArgument.parse)
  var sides: [String]

  @OptionGroup var password: PasswordOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var limits: LimitOptions
  @OptionGroup var reporter: Reporter

  func validate() throws {
    guard (1...2).contains(sides.count) else {
      throw ValidationError("give two archives or libraries, or one and -l FOLDER")
    }
    if sides.count == 2, library.isGiven {
      throw ValidationError("with -l, give only one archive or library")
    }
  }

  func run() async throws {
    let from = FilePath(sides[0])
    let to = sides.count == 2 ? FilePath(sides[1]) : try library.path()
    let secret = try password.read(for: [from, to], limits.limits, reporter)
    let report = try await reporter.follow(
      .diff(from: from, to: to, limits: limits.limits, password: secret))
    for warning in report.warnings { reporter.warn(warning) }
    let lines = DiffLines(report.sides)
    for change in report.diff.changes {
      let line = lines.line(change)
      reporter.result("\(line.modifier) \(line.label)" + (line.values.isEmpty ? "" : ": \(line.text)"))
      reporter.json(
        "change",
        [
          "modifier": line.modifier, "item": line.item, "label": line.label, "category": line.category,
          "photo_id": line.photoID, "name": line.name, "bytes": line.bytes, "md5": line.md5,
          "values": JSONFields(line.values.mapValues { $0.map { Null($0) } }),
        ])
    }
    let diff = report.diff
    func numbers(_ modifier: BackupDiff.Modifier) -> (categories: Int, photos: Int, bytes: Int) {
      (diff.count(modifier, photos: false), diff.count(modifier, photos: true), diff.bytes(modifier))
    }
    let (added, removed, changed) = (numbers(.added), numbers(.removed), numbers(.changed))
    if !diff.changes.isEmpty { reporter.result("") }
    reporter.result(
      "photos: \(added.photos) added, \(removed.photos) removed, \(changed.photos) changed\n"
        + "categories: \(added.categories) added, \(removed.categories) removed, "
        + "\(changed.categories) changed\n"
        + "bytes: \(ByteCount(added.bytes)) added, \(ByteCount(removed.bytes)) removed")
    reporter.json(
      "summary",
      [
        "source": from.string, "target": to.string,
        "added": [
          "categories": added.categories, "photos": added.photos, "bytes": added.bytes,
        ] as JSONFields,
        "removed": [
          "categories": removed.categories, "photos": removed.photos, "bytes": removed.bytes,
        ] as JSONFields,
        "changed": ["categories": changed.categories, "photos": changed.photos] as JSONFields,
        "warnings": report.warnings,
      ])
  }
}

/// Formats changes.
private struct DiffLines {
  /// The display names of categories by name. If both sides have a category, the newer side's name is used.
  private let displayNames: [String: String]

  init(_ sides: (from: DiffSide, to: DiffSide)) {
    displayNames = Dictionary(
      (sides.from.categories + sides.to.categories).map { ($0.name, $0.displayName) },
      uniquingKeysWith: { _, last in last })
  }

  /// A line of `"message_type":"change"`.
  struct Line {
    var modifier: String
    var item: String
    var label: String
    var category: String
    var photoID: Int64?
    var name: String
    var bytes: Int?
    var md5: String?
    /// The differing properties, each with its old and new value.
    var values: [String: [String?]] = [:]

    /// Notes the values of a property if they differ.
    mutating func note(_ key: String, _ old: String?, _ new: String?) {
      if old != new { values[key] = [old, new] }
    }

    /// The values as text for the user.
    var text: String {
      values.sorted { $0.key < $1.key }.map { key, pair in
        key.replacing("_", with: " ") + " "
          + pair.map { $0.map { "“\($0.escaped)”" } ?? "none" }.joined(separator: " → ")
      }.joined(separator: ", ")
    }
  }

  func line(_ change: BackupDiff.Change) -> Line {
    switch change.subject {
    case .category(let from, let to):
      let category = to ?? from
      let name = category?.displayName ?? ""
      var line = Line(
        modifier: change.modifier.rawValue, item: "category", label: "category “\(name.escaped)”",
        category: category?.name ?? "", name: name)
      guard let from, let to else { return line }
      line.note("name", from.displayName, to.displayName)
      line.note("position", "\(from.position)", "\(to.position)")
      line.note("icon", from.iconResource, to.iconResource)
      line.note("color", from.colorHex, to.colorHex)
      line.note("default", "\(from.isDefault)", "\(to.isDefault)")
      line.note("date", Self.date(from.createdAt), Self.date(to.createdAt))
      return line
    case .photo(let category, let from, let to):
      guard let photo = to ?? from else {
        return Line(modifier: change.modifier.rawValue, item: "photo", label: "", category: "", name: "")
      }
      let label = Finding.Subject.photo(
        id: photo.id, category: displayNames[category] ?? category, name: photo.name)
      var line = Line(
        modifier: change.modifier.rawValue, item: "photo",
        label: label.description, category: category, photoID: photo.id, name: photo.name,
        bytes: photo.fileSize, md5: photo.md5?.description)
      guard let from, let to else { return line }
      line.note("name", from.name, to.name)
      line.note("file_name", from.fileName, to.fileName)
      line.note("date", Self.date(from.createdAt), Self.date(to.createdAt))
      return line
    }
  }

  /// Returns the date with milliseconds if they are not zero, since two dates may only differ in them.
  private static func date(_ time: Timestamp) -> String {
    time.date.formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: time.rawValue % 1000 != 0))
  }
}
