import ArchiveCatalog
import ArgumentParser
import FileSystem
import Foundation
import Jobs
import Operations
import PhotoLibrary

struct Undo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the last import or remove.",
    discussion: """
      Restores photos, categories and settings to the state before the last import or remove. Only the last change can \
      be undone. An import of several backups makes one change for each backup. A file that was changed after the \
      import is kept and reported. Asks for a confirmation before it removes anything; without a terminal, --yes is \
      needed.

      Example:
        smilepile undo -l ~/Family
      """)

  @Flag(name: [.customShort("n"), .long], help: "Report what would be undone, and write nothing.")
  var dryRun = false

  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOption
  @OptionGroup var output: CommonOptions

  private struct Summary: Encodable {
    let messageType = "summary"
    var undone: String
    var changedAt: Int64
    var photosRemoved: Int
    var photosRestored: Int
    var photosReverted: Int
    var categoriesRemoved: Int
    var categoriesRestored: Int
    var protectionsLowered: [String]
    var missing: [String]
    var damaged: [String]
    var left: [String]
    var dryRun: Bool
  }

  func run() async throws {
    var options = UndoOptions()
    options.isDryRun = dryRun
    options.lockWait = lock.duration
    let reporter = Reporter(output)
    let path = try library.path()
    options.authorization = try confirmation.authorization(reporter, for: path)
    let summary = try await Ledger.ofThisUser.recording(
      RecordedOperation(.undo, library: path, isDryRun: dryRun)
    ) {
      try await reporter.follow(.undo(path, options: options), during: "undo")
    }
    let date = Date(milliseconds: summary.changedAt).formatted(.iso8601)
    let verb = dryRun ? "would undo" : "undid"
    let reverted = summary.photosReverted
    let removal = Removal(photos: summary.photosRemoved, categories: summary.categoriesRemoved)
    let removed = removal.isEmpty ? "0 photos" : "\(removal)"
    reporter.importantResult(
      "\(verb) \(summary.kind == .remove ? "the removal" : "the import") at \(date): "
        + "\(removed) removed, \(summary.photosRestored) restored"
        + (reverted == 0 ? "" : ", \(reverted) changed back")
        + summary.protectionsLowered.map { ", \($0.label) turned off" }.joined())
    reporter.json(
      Summary(
        undone: summary.kind.rawValue, changedAt: summary.changedAt, photosRemoved: summary.photosRemoved,
        photosRestored: summary.photosRestored, photosReverted: reverted,
        categoriesRemoved: summary.categoriesRemoved, categoriesRestored: summary.categoriesRestored,
        protectionsLowered: summary.protectionsLowered.map(\.identifier),
        missing: summary.missing.map(\.message), damaged: summary.damaged.map(\.message),
        left: summary.left.map(\.message), dryRun: summary.isDryRun))
    if summary.isIncomplete { throw ExitStatus.incomplete }
  }
}

extension Protection {
  /// The name in JSON.
  fileprivate var identifier: String {
    switch self {
    case .deleteProtection: "delete_protection"
    case .kidSafeMode: "kid_safe_mode"
    case .cameraBlock: "camera_block"
    case .pin: "pin"
    }
  }
}
