import ArgumentParser
import Catalogue
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// `smilepile catalogue`: the photos of a library as a PDF.
struct CatalogueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalogue",
    abstract: "Write a PDF with thumbnails of all photos, by category.",
    discussion: """
      Has a title page with the categories, an outline, and the name and date of each photo. Draws thumbnails that the \
      cache lacks. No file is overwritten. The exit code is 3 if a photo is missing or found \
      corrupt, or should have a picture and has none.

      Needs cairo and Pango (apt install libpangocairo-1.0-0), and fonts for the scripts of the names.

      Example:
        smilepile catalogue -l ~/Family -o family.pdf
        smilepile catalogue -l ~/Family -o zoo.pdf --category Zoo --columns 3
      """,
    aliases: ["catalog"])

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write the PDF to this new file.", valueName: "file"),
    completion: .file(extensions: ["pdf"]), transform: PathArgument.parse)
  var file: String

  @Option(help: ArgumentHelp("Size of the pages.", valueName: "a4|letter"))
  var paper = CatalogueOptions.Paper.a4

  @Option(help: ArgumentHelp("Photos side by side, 3 to 8.", valueName: "number"))
  var columns = CatalogueOptions().columns

  @Option(name: .shortAndLong, help: "Only this category; may be given several times.")
  var category: [String] = []

  @OptionGroup var taken: TakenOptions
  @Option(
    help: ArgumentHelp(
      "Order of a category's photos.",
      valueName: PhotoOrder.allCases.map(\.rawValue).joined(separator: "|")))
  var sort = PhotoOrder.dateNewest

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: ReaderLockOption
  @OptionGroup var reporter: Reporter

  func validate() throws {
    guard CatalogueOptions.columnNumbers.contains(columns) else {
      let numbers = CatalogueOptions.columnNumbers
      throw ValidationError(
        "--columns \(columns) is outside of \(numbers.lowerBound) to \(numbers.upperBound)")
    }
  }

  func run() async throws {
    var options = CatalogueOptions()
    (options.paper, options.columns, options.order) = (paper, columns, sort)
    options.selection.categories = category
    options.selection.taken = taken.range
    options.lockWait = lock.duration
    let summary = try await reporter.follow(
      .catalogue(of: library.path(), to: FilePath(file), options: options), during: "catalogue")
    for warning in summary.warnings { reporter.warn(warning) }
    for photo in summary.fill.undrawable { reporter.warn(photo.message) }
    reporter.importantResult(summary.path.string.escaped)
    reporter.note(
      "\(Count(summary.photos, "photo")) on \(Count(summary.pages, "page")), \(ByteCount(summary.bytes))")
    try reporter.finish(
      isIncomplete: !summary.failed.isEmpty,
      [
        "path": summary.path.string, "bytes": summary.bytes, "pages": summary.pages, "photos": summary.photos,
        "categories": summary.categories, "tiles": summary.tiles, "drawn": summary.fill.drawn,
        "undrawable": summary.fill.undrawable.map(\.message), "failed": summary.failed.map(\.message),
        "missing_characters": summary.missingCharacters, "warnings": summary.warnings,
      ])
  }
}

extension CatalogueOptions.Paper: ExpressibleByArgument {}
extension PhotoOrder: ExpressibleByArgument {}
