import ArchiveCatalog
import ArgumentParser
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary
import SystemPackage

struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List past operations with their outcomes.",
    discussion: """
      Lists what import, add, export, extract, remove, reset, undo, verify -l, repair, rebuild, flatten, prune, jobs and \
      restore tests of this user did, newest first. Dry runs are not listed. With N, shows the operation with this number \
      and its findings: what is missing from its result or corrupt in it, and why.

      An interrupted operation was stopped, or its process was killed.

      Example:
        smilepile history -l ~/Family --since 2026-11-01
        smilepile history 42
      """)

  @Argument(help: ArgumentHelp("Show the operation with this number.", valueName: "n"))
  var number: Int64?

  @Option(
    help: ArgumentHelp("Only operations that began at this time or later.", valueName: "date"),
    transform: DateArgument.parse)
  var since: Date?

  @Option(
    name: [.short, .customLong("library")],
    help: ArgumentHelp("Only operations of this library; default: all libraries.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var library: String?

  @OptionGroup var reporter: Reporter

  /// The history has no operation with the number.
  struct NoOperation: ExplainedError, CustomStringConvertible {
    let number: Int64

    var cause: ErrorCause { .notFound }

    var description: String {
      "there is no operation \(number) in the history; run smilepile history to list the operations"
    }
  }

  func validate() throws {
    if number != nil, since != nil || library != nil {
      throw ValidationError("N does not work with --since and --library")
    }
  }

  func run() throws {
    let isHistoryKnown = Ledger.ofThisUser.problem == nil
    if let number {
      guard let entry = Ledger.ofThisUser.operation(number: number) else {
        if isHistoryKnown { throw NoOperation(number: number) } else { throw ExitStatus.incomplete }
      }
      return show(entry)
    }
    let path = library.map { FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath($0)) }
    let filter = path.map { (path: $0, id: try? Library(path: $0).libraryID()) }
    let entries = Ledger.ofThisUser.history(since: since.map(Timestamp.init), library: filter)
    if entries.isEmpty, isHistoryKnown {
      reporter.note("no operations\(path.map { " of \($0.string.escaped)" } ?? "") are recorded")
    }
    list(entries)
    if !isHistoryKnown { throw ExitStatus.incomplete }
  }
}
