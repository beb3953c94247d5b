import ArgumentParser
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

struct Add: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy photos into a library.",
    discussion: """
      Folders are searched at any depth; hidden files and links in them are left out, and reported. Each photo \
      goes into the category that is named as the folder it lies in, or into the one that --category names; a \
      category that is not there yet is made. Photos that their category holds already are skipped. Width, height \
      and the date taken are read from JPEG, PNG, GIF, WebP and HEIC; otherwise the file's date stands in. The \
      files themselves are not changed.

      Example:
        smilepile add -l ~/Family --category "Summer 2025" ~/Pictures/beach img_7.jpg
      """)

  @Argument(help: "Photos, and folders of photos.", completion: .file(), transform: PathArgument.parse)
  var paths: [String]

  @Option(name: .shortAndLong, help: "The category, as the app shows it; by default the folder's name.")
  var category: String?

  @Flag(name: [.customShort("n"), .long], help: "Say what would be added, and write nothing.")
  var dryRun = false

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var output: OutputOptions

  private struct Summary: Encodable {
    let messageType = "summary"
    var categoriesAdded: Int
    var photosAdded: Int
    var photosSkipped: Int
    var bytes: Int
    var warnings: [String]
    var errors: [String]
    var dryRun: Bool
  }

  func validate() throws {
    if let category, category.allSatisfy(\.isWhitespace) {
      throw ValidationError("the category's name is empty")
    }
  }

  func run() async throws {
    let foreign = try ForeignText.refuse(Array(CommandLine.arguments.dropFirst()), exceptPaths: paths)
    var options = AddOptions()
    options.category = category
    options.isDryRun = dryRun
    options.lockWait = lock.duration
    let reporter = Reporter(output)
    let photos = paths.indices.filter { !foreign.contains($0) }.map { FilePath(paths[$0]) }
    var summary = try await reporter.follow(.add(photos, to: library.path(), options: options))
    summary.errors += foreign.sorted().map {
      Finding(paths[$0].escaped, "its name is not UTF-8; \(ForeignText.remedy)")
    }
    for warning in summary.warnings { reporter.warn(warning) }
    for error in summary.errors { reporter.error(error, during: "add") }
    reporter.lasting(
      "\(dryRun ? "would add" : "added") \(Count(summary.photosAdded, "photo")) (\(ByteCount(summary.bytes))), "
        + "skipped \(summary.photosSkipped) that are there already, "
        + "\(dryRun ? "would make" : "made") \(Count(summary.categoriesAdded, "category", "categories"))")
    reporter.json(
      Summary(
        categoriesAdded: summary.categoriesAdded, photosAdded: summary.photosAdded,
        photosSkipped: summary.photosSkipped, bytes: summary.bytes, warnings: summary.warnings,
        errors: summary.errors.map(\.message), dryRun: summary.isDryRun))
    if !summary.errors.isEmpty { throw ExitStatus.incomplete }
  }
}
