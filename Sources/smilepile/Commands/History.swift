import ArchiveCatalog
import ArgumentParser
import FileSystem
import Foundation
import Jobs
import PhotoLibrary
import SystemPackage

struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List past operations with their outcomes.",
    discussion: """
      Lists imports, exports, restores, repairs, edits, runs of jobs and restore tests of this user, newest first. Dry \
      runs are not listed. With N, shows the operation with this number, and the photos that it left out.

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

  @OptionGroup var output: OutputOptions

  /// The history has no operation with the number.
  struct NoOperation: Error, CustomStringConvertible {
    let number: Int64

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
    let reporter = Reporter(output)
    if let number {
      guard let entry = Ledger.ofThisUser.operation(number: number) else {
        throw NoOperation(number: number)
      }
      return show(entry, reporter)
    }
    let path = library.map { FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath($0)) }
    let filter = path.map { (path: $0, id: try? Library(path: $0).libraryID()) }
    list(Ledger.ofThisUser.history(since: since?.milliseconds, library: filter), reporter)
  }
}
