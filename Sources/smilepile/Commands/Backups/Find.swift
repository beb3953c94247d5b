import ArgumentParser
import Backup
import Checksums
import FileSystem
import SystemPackage

struct Find: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Find the archives that contain a photo.",
    discussion: """
      Searches archives, and all archives of folders, for photos whose name or file name matches the pattern (*, ? and \
      [a-z] as in a shell), or whose file has the given MD5. The oldest archive comes first.

      The exit code is 0 even if there is no match, 3 if an archive cannot be opened, 12 if all archives need a \
      password that is missing or wrong.

      Example:
        smilepile find 'IMG_00*' /backups
        smilepile find --md5 ebff7452390c1b20e73c7475fcc5131c /backups/*.zip
      """)

  @Argument(
    help: ArgumentHelp(
      "The pattern (not with --md5), then folders and archives.",
      valueName: "pattern|folder|archive"),
    completion: .file(), transform: PathArgument.parse)
  var arguments: [String]

  @Option(
    help: ArgumentHelp("Find photos whose file has this MD5.", valueName: "md5"),
    transform: { text in
      guard let digest = MD5Digest(hex: text) else {
        throw ValidationError(
          "invalid MD5 “\(text.escaped)”; use 32 hexadecimal digits, for example from md5sum")
      }
      return digest
    })
  var md5: MD5Digest?

  @Option(name: .shortAndLong, help: "Only photos of this category; may be given several times.")
  var category: [String] = []

  @OptionGroup var password: PasswordOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var reporter: Reporter

  func validate() throws {
    if md5 == nil, arguments.count < 2 {
      throw ValidationError("give a pattern and a folder or an archive")
    }
  }

  func run() async throws {
    var selection = PhotoSelection()
    selection.md5 = md5
    if md5 == nil { selection.names = [arguments[0]] }
    selection.categories = category
    let targets = arguments.dropFirst(md5 == nil ? 1 : 0).map { FilePath($0) }
    let secret = try password.read(for: targets, limits.limits, reporter)
    let summary = try await reporter.follow(
      .find(selection, in: targets, limits: limits.limits, password: secret), during: "find")
    for warning in summary.warnings { reporter.warn(warning) }
    for photo in summary.photos {
      reporter.result(Self.text(photo))
      reporter.json(
        "match",
        [
          "archive": photo.archive.string, "archive_date": photo.date, "photo_id": photo.record.id,
          "name": photo.record.name, "file_name": photo.fileName, "category": photo.category,
          "created_at": photo.record.createdAt, "bytes": photo.size, "md5": photo.md5?.description,
          "location": photo.place.rawValue,
        ])
    }
    reporter.note(
      "found \(Count(summary.photos.count, "photo")); searched \(Count(summary.archives, "archive"))")
    try reporter.finish(
      isIncomplete: !summary.notSearched.isEmpty,
      [
        "matches": summary.photos.count, "archives_searched": summary.archives,
        "not_searched": summary.notSearched.map(\.message), "warnings": summary.warnings,
      ])
  }

  private static func text(_ photo: FoundPhoto) -> String {
    let date = photo.date?.iso8601 ?? "unknown"
    let size = ByteCount(photo.size)
    let location =
      switch photo.place {
      case .archive: "\(size)"
      case .base: "\(size), stored in the base"
      case .app: "in the app"
      case .missing: "\(size), file missing"
      }
    return "\(photo.archive.string.escaped)  \(date)  \(photo.label)  \(location)"
  }
}
