import ArgumentParser
import Duplicates
import FileSystem
import Operations
import PhotoLibrary

extension DuplicatesCommand {
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove the copies of groups, and keep one photo of each.",
      discussion: """
        Removes only photos that are like the kept photo. Before that, reads the kept photos: if one is missing \
        or corrupt, nothing is removed. Series are never removed. Asks for a confirmation, and for the PIN, as `remove` \
        does; `smilepile undo` restores the photos.

        Example:
          smilepile duplicates remove -l ~/Family --group 104 --dry-run
        """)

    @ParentCommand var list: DuplicatesCommand

    @Option(help: "The group with this number; may be given several times.")
    var group: [Int64] = []

    @Flag(help: "All groups of copies.")
    var all = false

    @Option(
      help: ArgumentHelp(
        "Photo to keep: best, first (added first) or an ID; default: best.", valueName: "photo"),
      transform: Remove.keep)
    var keep = DuplicateRemoval.Keep.best

    @Flag(name: [.customShort("n"), .long], help: "Report what would be removed, and write nothing.")
    var dryRun = false

    @OptionGroup var search: DuplicateOptions
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var target: LibraryChangeOptions

    func validate() throws {
      try list.refuseListOptions()
      if group.isEmpty != all {
        throw ValidationError("choose groups with --group, or all of them with --all")
      }
    }

    func run() async throws {
      let reporter = target.reporter
      var request = search.request
      // a number may be that of a series, which the message then says
      request.findsSeries = !all
      request.lockWait = max(target.lock.duration, Library.readersWait)
      let summary = try await reporter.follow(
        .findDuplicates(request, in: target.library.path()), during: "duplicates")
      let removal = try DuplicateRemoval(of: summary, groups: all ? nil : group, keep: keep)
      let report = DuplicateReport(reporter: reporter, summary: summary)
      report.showNotes()
      for part in removal.parts { report.show(part) }
      let change = try target.prepare(isDryRun: dryRun, confirmation)
      if removal.removed.isEmpty {
        change.reportNothingToRemove()
      } else {
        var selection = LibrarySelection()
        selection.ids = removal.removed.map(\.id)
        try await change.remove(selection, keeping: removal.kept.map(\.id))
      }
      if !summary.fill.failed.isEmpty { throw ExitStatus.incomplete }
    }

    @Sendable private static func keep(_ text: String) throws -> DuplicateRemoval.Keep {
      switch text {
      case "best": return .best
      case "first": return .first
      default:
        guard let id = Int64(text) else { throw ValidationError("use best, first or the ID of a photo") }
        return .photo(id)
      }
    }
  }

  struct Dismiss: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remember that photos are no duplicates of each other.",
      discussion: """
        No later search shows two of these photos as duplicates, whatever its threshold is. The library remembers \
        their contents, so that renaming and moving them changes nothing. `smilepile undo` reverts the last dismissal; \
        --forget removes any.

        Example:
          smilepile duplicates dismiss -l ~/Family 104 117
        """)

    @ParentCommand var list: DuplicatesCommand

    @Argument(help: ArgumentHelp("The IDs of the photos, at least two.", valueName: "id"))
    var ids: [Int64]

    @Flag(help: "Forget earlier dismissals of these photos, so that searches show them again.")
    var forget = false

    @OptionGroup var target: LibraryChangeOptions

    func validate() throws {
      try list.refuseListOptions()
      guard Set(ids).count > 1 else {
        throw ValidationError("name at least two different photos by their IDs")
      }
    }

    func run() throws {
      let reporter = target.reporter
      let run = DismissRun(try target.library.path(), lockWait: target.lock.duration)
      let summary = try forget ? run.forget(ids) : run.dismiss(ids)
      let pairs = "\(Count(summary.pairsChanged, "pair"))"
      reporter.importantResult(
        forget
          ? "forgot \(pairs)"
          : "dismissed \(pairs)" + (summary.pairsChanged == 0 ? "" : "; run smilepile undo to revert this"))
      reporter.json(
        "summary",
        [
          "photo_ids": summary.photos.map(\.id), "pairs": summary.pairs,
          "pairs_changed": summary.pairsChanged, "forgotten": forget,
        ])
    }
  }
}
