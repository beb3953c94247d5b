import ArgumentParser
import FileSystem
import Jobs
import PhotoLibrary
import SystemPackage

struct Report: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a page that shows whether the photos of a library are safe.",
    discussion: """
      The page is one HTML file without scripts, and requests nothing. It has one sentence, what to do if something is \
      wrong, the copies, a year of backups, the growth, when a disk will be full, the restore tests and the categories.

      “report-file” in the job file replaces the page after each run. Only such a page is replaced.

      Example:
        smilepile report -l ~/Family -o ~/status.html
      """)

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write the page to this file.", valueName: "file"),
    completion: .file(extensions: ["html"]), transform: PathArgument.parse)
  var file: String

  @OptionGroup var library: LibraryOption
  @OptionGroup var reporter: Reporter

  func run() async throws {
    let page = try StatusPage(of: Library(path: library.path()), .ofThisUser)
    let path = FilePath(file).absolute
    try page.write(to: path, outside: .ofThisUser, message: CommandMessage.text)
    reporter.importantResult("\(page.verdict.level.sign) \(page.verdict.sentence)".escaped)
    reporter.json(
      "summary",
      [
        "path": path.string, "sentence": page.verdict.sentence, "level": page.verdict.level.rawValue,
        "actions": page.verdict.actions.map(CommandMessage.text),
      ])
  }
}
