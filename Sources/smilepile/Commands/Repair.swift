import ArchiveCatalog
import ArgumentParser
import Backup
import FileSystem
import Operations
import SystemPackage

struct Repair: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a damaged archive anew, with what can be rescued.",
    discussion: """
      Searches a truncated or damaged archive for every photo that is still whole, and writes them into a new \
      archive, NAME.repaired.zip beside it or where -o says. What is lost and known by its MD5 is taken from the \
      library (-l) or from other archives (--from). The new archive is read back before it gets its name; the \
      damaged one is never touched. What is lost all the same is named, and the exit code is 3. Of a whole \
      archive it says so, and writes nothing. An encrypted archive is not repaired, since what it hides would have to \
      be written in the clear; import it with --salvage, and export anew.

      Example:
        smilepile repair -l ~/Family cut_off.zip
      """)

  @Argument(help: "The damaged archive.", completion: .file(), transform: PathArgument.parse)
  var archive: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("An existing folder, or a file name that is free.", valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
  var output: String?

  @Option(
    name: [.short, .customLong("library")],
    help: ArgumentHelp("A library that may hold what is lost.", valueName: "folder"),
    completion: .directory, transform: PathArgument.parse)
  var library: String?

  @Option(
    help: ArgumentHelp(
      "An archive that may hold what is lost; may be given several times.", valueName: "archive"),
    completion: .file(), transform: PathArgument.parse)
  var from: [String] = []

  @OptionGroup var password: PasswordOptions
  @OptionGroup var lock: ReaderLockOption
  @OptionGroup var limits: LimitOptions
  @OptionGroup var outputOptions: OutputOptions

  private struct Summary: Encodable {
    let messageType = "summary"
    @Null var archive: String?
    var intact: Bool
    var photos: Int
    var bytes: Int
    var archiveBytes: Int
    var faults: [String]
    var restored: [String]
    var missing: [String]
    var unusable: [String]
    var warnings: [String]
  }

  func run() async throws {
    var options = RepairOptions()
    options.destination = output.map { FilePath($0) }
    options.library = library.map { FilePath($0) }
    options.lockWait = lock.duration
    options.others = from.map { FilePath($0) }
    let reporter = Reporter(outputOptions)
    options.ledger = .ofThisUser
    options.limits = limits.limits
    options.password = try password.read(
      for: options.others, limits.limits, reporter, salvaging: true)
    let summary = try await reporter.follow(.repair(FilePath(archive), options: options))

    for fault in summary.faults { reporter.warn(fault.message) }
    for warning in summary.warnings { reporter.warn(warning) }
    for archive in summary.unusable { reporter.error(archive, during: "repair") }
    for photo in summary.restored { reporter.note(photo.message.escaped) }
    for photo in summary.lost { reporter.error(photo, during: "repair") }
    if let written = summary.archive {
      reporter.note(
        "rescued \(Count(summary.photos, "photo")), \(ByteCount(summary.bytes)), "
          + "\(summary.restored.count) of them from elsewhere; \(summary.lost.count) lost")
      reporter.lasting(written.string.escaped)
    } else if summary.isWhole {
      reporter.note("\(archive.escaped) is whole: there is nothing to repair")
    } else {
      reporter.note("nothing is left in \(archive.escaped) that could be written anew")
    }
    reporter.json(
      Summary(
        archive: summary.archive?.string, intact: summary.isWhole, photos: summary.photos,
        bytes: summary.bytes, archiveBytes: summary.archiveBytes, faults: summary.faults.map(\.message),
        restored: summary.restored.map(\.message), missing: summary.lost.map(\.message),
        unusable: summary.unusable.map(\.message), warnings: summary.warnings))
    if summary.isIncomplete { throw ExitStatus.incomplete }
    try Ledger.ofThisUser.reportProblem(reporter)
  }
}
