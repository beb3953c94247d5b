import ArchiveCatalog
import ArgumentParser
import FileSystem
import PhotoLibrary
import SystemPackage

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Copy photos into a library.",
    discussion: """
      Searches folders and their subfolders, without hidden files and links. The category of a photo is the name of \
      its folder, or CATEGORY; if the category does not exist, it is created. Photos that the category already \
      contains are skipped; if its file is missing in the library, it is restored. Size and date are read from JPEG, \
      PNG, GIF, WebP and HEIC; for other files, the date is the modification time.

      Example:
        smilepile add -l ~/Family --category "Summer 2025" ~/Pictures/beach img_7.jpg
      """)

  @Argument(help: "Photos and folders of photos.", completion: .file(), transform: PathArgument.parse)
  var paths: [String]

  @Option(name: .shortAndLong, help: "Name of the category; default: the folder's name.")
  var category: String?

  @Flag(name: [.customShort("n"), .long], help: "Report what would be added, and write nothing.")
  var dryRun = false

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var reports: PhotoReportOptions

  func validate() throws {
    if let category, category.allSatisfy(\.isWhitespace) {
      throw ValidationError("the category's name is empty")
    }
  }

  func run() async throws {
    let invalid = try ArgumentEncoding.requireUTF8(ProcessArguments.all, exceptPaths: paths)
    var options = AddOptions()
    options.category = category
    options.isDryRun = dryRun
    options.lockWait = lock.duration
    options.reportsPhotos = reports.reportsPhotos
    let reporter = reports.reporter
    let photos = paths.indices.filter { !invalid.contains($0) }.map { FilePath(paths[$0]) }
    options.unusable = invalid.sorted().map { index in
      let path = paths[index]
      return AddFailure(FilePath(path), message: "\(path): its name is not UTF-8; \(ArgumentEncoding.remedy)")
    }
    let (target, ledger) = try library.pathAndLedger()
    options.recorder = ledger
    let summary = try await reporter.follow(.add(photos, to: target, options: options), during: "add")
    reporter.photos(summary.photoReports)
    for warning in summary.warnings { reporter.warn(warning) }
    reporter.importantResult(
      "\(dryRun ? "would add" : "added") \(Count(summary.photosAdded, "photo")) (\(ByteCount(summary.bytes))), "
        + (summary.photosRestored > 0
          ? "\(dryRun ? "would restore" : "restored") \(Count(summary.photosRestored, "file")), " : "")
        + "\(dryRun ? "would skip" : "skipped") \(summary.photosSkipped) that already exist, "
        + "\(dryRun ? "would create" : "created") \(Count(summary.categoriesAdded, "category", "categories"))"
    )
    try reporter.finish(
      isIncomplete: !summary.errors.isEmpty,
      [
        "categories_added": summary.categoriesAdded, "photos_added": summary.photosAdded,
        "photos_skipped": summary.photosSkipped, "photos_restored": summary.photosRestored,
        "bytes": summary.bytes, "warnings": summary.warnings, "errors": summary.errors.map(\.message),
        "dry_run": summary.isDryRun,
      ])
  }
}
