import ArgumentParser
import Jobs
import PhotoLibrary
import SystemPackage

struct Sort: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Move photos to categories by rules.",
    discussion: """
      The first rule that fits a photo decides. Each photo is considered once: later runs take only new photos, until the \
      rules change. A photo that a person moved stays where it is. Later imports leave sorted photos where they are. Files \
      stay in their places. `smilepile undo` takes the moves back.

      Example:
        smilepile sort -l ~/Family --rules ~/.config/smilepile/rules.yaml --dry-run
      """)

  @Option(
    help: ArgumentHelp("YAML file with the rules.", valueName: "file"), completion: .file(),
    transform: PathArgument.parse)
  var rules: String

  @Option(
    name: .shortAndLong,
    help: "Consider only photos of this category; may be given several times.")
  var category: [String] = []

  @Flag(help: "Consider photos again that an earlier run considered, also one that was undone.")
  var again = false

  @Flag(name: [.customShort("n"), .long], help: "Report what would be moved, and write nothing.")
  var dryRun = false

  @OptionGroup var target: LibraryChangeOptions

  func run() async throws {
    var request = SortRequest(try SortRules(contentsOf: FilePath(rules)))
    request.categories = category
    request.again = again
    try await target.prepare(isDryRun: dryRun).run(request)
  }
}
