import ArgumentParser
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary

struct Clean: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove files that smilepile made and nothing needs.",
    discussion: """
      Removes what interrupted commands left: staged files of the library, folders of no change in .undo, \
      and, at the destinations of the library's jobs, unfinished files that are older than an hour. Never \
      removes archives, photos or untracked files. `smilepile storage` shows the sizes.

      Asks for each kind of files; without a terminal, --yes is needed. The exit code is 3 if something could \
      not be removed.

      Example:
        smilepile clean -l ~/Family --dry-run
      """)

  @Flag(help: "Also remove what is kept for undo; no change can then be undone.")
  var undo = false

  @Flag(help: "Also remove the corrupt files that a repair replaced.")
  var quarantined = false

  @Flag(name: [.customShort("n"), .long], help: "Report what would be removed, and remove nothing.")
  var dryRun = false

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var library: LibraryOption
  @OptionGroup var file: JobFileOption
  @OptionGroup var lock: LockOption
  @OptionGroup var reporter: Reporter

  func run() async throws {
    let path = try library.path()
    var options = CleanOptions()
    options.isDryRun = dryRun
    options.removesUndo = undo
    options.removesQuarantined = quarantined
    options.lockWait = lock.duration
    options.authorization = try confirmation.authorization(reporter, for: path)
    let (folders, warnings) = try file.jobs(ofLibrary: path).flatMap(\.destinations).readable()
    options.archiveFolders = folders
    for warning in warnings { reporter.warn(warning) }
    let summary = try await reporter.follow(.clean(path, options: options), during: "clean")
    reporter.result(
      TextTable(.left, .right, .right, .left, rows: dryRun ? summary.items.map(Self.row) : []))
    let (removed, freed) = dryRun ? ("would remove", "would free") : ("removed", "freed")
    let result = "\(removed) \(Count(summary.files, "file")), \(freed) \(ByteCount(summary.bytes))"
    let isEmpty = summary.items.isEmpty && summary.left.isEmpty
    reporter.importantResult(isEmpty ? "nothing to remove" : result)
    try reporter.finish(
      isIncomplete: summary.isIncomplete,
      [
        "items": summary.items.map { item in
          [
            "kind": item.kind.identifier, "path": item.path.string, "files": item.files, "bytes": item.bytes,
          ] as JSONFields
        },
        "files": summary.files, "bytes": summary.bytes, "left": summary.left.map(\.message),
        "warnings": warnings, "dry_run": dryRun,
      ])
  }

  private static func row(_ item: CleanItem) -> [String] {
    [
      item.path.string.escaped, "\(Count(item.files, "file"))", "\(ByteCount(item.bytes))", item.kind.label,
    ]
  }
}

extension CleanItem.Kind {
  /// The name in JSON.
  fileprivate var identifier: String {
    switch self {
    case .staged: "staged"
    case .obsoleteUndo: "obsolete_undo"
    case .unfinishedArchive: "unfinished_archive"
    case .undo: "undo"
    case .quarantined: "quarantined"
    }
  }

  /// The reason for the removal.
  fileprivate var label: String {
    switch self {
    case .staged: "staged by an interrupted command"
    case .obsoleteUndo: "of no change"
    case .unfinishedArchive: "unfinished, of a killed process"
    case .undo: "kept for undo"
    case .quarantined: "corrupt, replaced by a repair"
    }
  }
}
