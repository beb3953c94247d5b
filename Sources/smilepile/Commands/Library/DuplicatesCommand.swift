import ArgumentParser
import Backup
import Duplicates
import FileSystem
import Operations
import PhotoLibrary
import SystemPackage

/// `smilepile duplicates`: photos that look alike.
struct DuplicatesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "duplicates",
    abstract: "Find photos that look alike: copies in other sizes, crops and edits.",
    discussion: """
      The photos of a group are like its best photo, whose ID is the number of the group. A higher threshold is \
      stricter, and finds less: 0.98 finds copies; 0.92 also finds crops and edits; 0.85 also finds similar shots. \
      Photos whose headers have different times are a series; --series shows these. Draws the pictures that the \
      cache lacks (apt install libvips42). Changes no photo.

      Example:
        smilepile duplicates -l ~/Family --html review.html
      """,
    subcommands: [Remove.self, Dismiss.self])

  @OptionGroup var search: DuplicateOptions

  @Flag(help: "Find series of shots, too.")
  var series = false

  @Flag(help: "List only photos with equal bytes, which are in different categories.")
  var exact = false

  @Option(
    help: ArgumentHelp(
      "Write a page that shows the groups side by side. Only such a page is replaced.", valueName: "file"),
    completion: .file(extensions: ["html"]), transform: PathArgument.parse)
  var html: String?

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: ReaderLockOption
  @OptionGroup var reporter: Reporter

  func validate() throws {
    if exact, series || html != nil || search.threshold != nil {
      throw ValidationError("--exact contradicts --threshold, --series and --html; remove --exact or these")
    }
  }

  /// Refuses the options that belong to the list of groups: a subcommand would ignore them.
  func refuseListOptions() throws {
    if series || exact || html != nil {
      throw ValidationError("--series, --exact and --html need the command duplicates alone; remove them")
    }
  }

  func run() async throws {
    let path = try library.path()
    if exact { return try listExact(path) }
    let page = html.map { FilePath($0).absolute }
    // a search may take an hour
    if let page { _ = try ReviewPage.hasEarlierPage(at: page) }
    var request = search.request
    (request.findsSeries, request.lockWait) = (series, lock.duration)
    let summary = try await reporter.follow(.findDuplicates(request, in: path), during: "duplicates")
    let report = DuplicateReport(reporter: reporter, summary: summary)
    for group in summary.groups { report.show(group) }
    if let page {
      let command = { (group: DuplicateGroup) in
        search.removal(of: "\(group.number)", at: summary.threshold, in: path.absolute)
      }
      try ReviewPage(summary, of: Library(path: path), version: Version.current).write(
        to: page, command: command
      ) {
        if Signals.received != nil { throw CancellationError() }
      }
    }
    report.finish(page: page, removal: search.removal(of: "NUMBER", at: summary.threshold, in: path))
    if !summary.fill.failed.isEmpty { throw ExitStatus.incomplete }
  }

  private func listExact(_ path: FilePath) throws {
    let contents = try Library(path: path).contents()
    let copies = try ExactCopies.all(in: contents, categories: search.category)
    for copy in copies {
      reporter.result("equal bytes")
      reporter.result(
        TextTable(
          .right, .left, .right, indentation: 2,
          rows: copy.photos.map { photo in
            [
              "\(photo.id)", DuplicateReport.name(of: photo, contents), "\(ByteCount(photo.fileSize))",
            ]
          }))
      reporter.json(
        "equal_photos",
        [
          "ids": copy.photos.map(\.id), "names": copy.photos.map(\.name), "bytes": copy.photos[0].fileSize,
        ])
    }
    let photos = copies.map(\.photos.count).reduce(0, +)
    reporter.result(
      "\(Count(photos, "photo")) with equal bytes (\(Count(copies.count, "content"))). They are no duplicates: the same "
        + "photo is in several categories."
    )
    reporter.json("summary", ["contents": copies.count, "photos": photos])
  }
}
