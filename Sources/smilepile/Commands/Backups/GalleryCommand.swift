import ArgumentParser
import Backup
import FileSystem
import Operations
import SystemPackage

/// `smilepile gallery`: a gallery as a folder.
struct GalleryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gallery",
    abstract: "Write a gallery of a library or an archive as a folder.",
    discussion: """
      Open index.html of the folder in a browser; no server is needed. A gallery that exists is brought up to date: a \
      reader sees the old one or the new one. The folder belongs to the gallery: with other files in it, nothing is \
      changed. After an interruption, run the command again. The exit code is 3 if a photo is missing or found corrupt, or should have a picture \
      and has none. Drawing needs libvips (apt install libvips42).

      Example:
        smilepile gallery -l ~/Family -o ~/Gallery
        smilepile gallery smilepile_backup_20251003_140000.zip -o ~/Gallery
      """)

  @Argument(
    help: "The archive; without it, the library's photos are shown.", completion: .file(),
    transform: PathArgument.parse)
  var archive: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Folder of the gallery; created if its parent exists.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var output: String

  @Option(
    help: ArgumentHelp(
      "What a click opens: a JPEG of at most 1600 pixels, or a copy of the photo's file.",
      valueName: "none|copy"))
  var originals = GalleryOriginals.none

  @Option(name: .shortAndLong, help: "Only photos of this category; may be given several times.")
  var category: [String] = []

  @OptionGroup var taken: TakenOptions
  @OptionGroup var style: GalleryStyleOptions
  @OptionGroup var password: PasswordOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: ReaderLockOption
  @OptionGroup var reporter: Reporter

  func validate() throws {
    if archive != nil, library.isGiven || library.asOwner {
      throw ValidationError("give an archive or -l, not both")
    }
    if archive == nil, password.isGiven { throw ValidationError("a password needs an archive") }
  }

  func run() async throws {
    var options = GalleryFolderOptions()
    options.style = style.style
    options.originals = originals
    options.categories = category
    options.taken = taken.range
    options.limits = limits.limits
    options.lockWait = lock.duration
    let folder = FilePath(output)
    let work: Work<GalleryFolderSummary>
    if let archive {
      let path = FilePath(archive)
      options.ledger = .ofThisUser
      options.password = try password.read(for: [path], limits.limits, reporter)
      work = .gallery(ofArchive: path, to: folder, options: options)
    } else {
      work = .gallery(ofLibrary: try library.path(), to: folder, options: options)
    }
    let summary = try await reporter.follow(work, during: "gallery")
    try report(summary)
  }

  private func report(_ summary: GalleryFolderSummary) throws {
    for warning in summary.warnings { reporter.warn(warning) }
    for photo in summary.undrawable {
      reporter.warn("\(photo.message); a click opens a copy of the file")
    }
    let assets =
      summary.assets == 0
      ? "" : "; \(Count(summary.assets, "photo is an asset", "photos are assets")) of the app, without a file"
    let removed = summary.filesRemoved == 0 ? "" : ", removed \(summary.filesRemoved)"
    reporter.result(
      "\(output.escaped) shows \(Count(summary.photos, "photo")) in "
        + "\(Count(summary.categories, "category", "categories")); drew \(Count(summary.drawn, "picture")), wrote "
        + "\(Count(summary.filesWritten, "file")) (\(ByteCount(summary.bytesWritten)))\(removed)\(assets)")
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "target": output, "photos": summary.photos, "categories": summary.categories, "drawn": summary.drawn,
        "files_written": summary.filesWritten, "bytes_written": summary.bytesWritten,
        "files_removed": summary.filesRemoved, "assets": summary.assets,
        "undrawable": summary.undrawable.map(\.message), "errors": summary.errors.map(\.message),
        "warnings": summary.warnings,
      ])
  }
}

extension GalleryOriginals: ExpressibleByArgument {}
