import ArchiveCatalog
import Backup
import FileSystem
import Foundation
import Operations
import SystemPackage

extension InboxRun {
  /// Imports a new backup, records it, and moves it.
  func add(
    _ backup: OpenedBackup, _ content: [UInt8], _ name: FilePath, _ file: borrowing File,
    _ version: ArchiveFile, in folder: borrowing InboxFolder, _ pass: inout Pass
  ) throws {
    let inbox = folder.inbox
    let summary: ImportSummary
    do {
      summary = try merge(backup)
    } catch {
      // an error of the library or this process, which other backups would have, too
      if error.cause.isInconclusive || [.busy, .access].contains(error.cause) { throw error }
      let reason = "\(backup.path) was not imported: ".escaped + JobMessage.text(of: error)
      return pass.note(name, in: folder, .unreadable(reason: reason))
    }
    let isIntact = summary.errors.isEmpty && (backup.increment == nil || summary.photosNotImported == 0)
    let imported = ImportedBackup(
      content: content, library: pass.libraryID, at: Timestamp(now),
      photos: summary.photosImported, problem: isIntact ? nil : Self.problem(of: backup, summary))
    pass.note(name, in: folder, .imported(photos: summary.photosImported, skipped: summary.photosSkipped))
    pass.report.warnings += warnings(of: backup, summary).map(inbox.naming)
    if isIntact, summary.photosNotImported > 0 {
      pass.report.missing.append(
        inbox.naming(
          "\(backup.path) was imported; it lacks \(Count(summary.photosNotImported, "photo file"))".escaped))
    }
    pass.imported[content] = imported
    if isDryRun {
      if let problem = imported.problem { pass.report.missing.append(inbox.naming(problem)) }
      if isIntact, inbox.afterImport == .move {
        pass.report.files[pass.report.files.count - 1].movedTo =
          folder.directory.path(of: name.inFolder(Inbox.imported))
      }
      return
    }
    if summary.hasDiskFault {
      pass.imported[content] = nil
      pass.report.missing += imported.problem.map { [inbox.naming($0)] } ?? []
      return
    }
    // another program may have written to the file while it was read
    guard try folder.version(name, file.status()) == version else {
      pass.imported[content] = nil
      pass.report.missing.append(
        inbox.naming(
          "\(backup.path) was modified during its import; the next run imports it again".escaped))
      return
    }
    environment.ledger.record(content, of: version, importedNow: imported)
    if let problem = imported.problem {
      pass.report.missing.append(inbox.naming(problem))
    } else {
      try move(name, version, in: folder, &pass)
    }
  }

  private func merge(_ backup: OpenedBackup) throws -> ImportSummary {
    var options = ImportOptions()
    options.isDryRun = isDryRun
    options.lockWait = .seconds(job.lockWait)
    options.ledger = environment.ledger
    let run = ImportRun(library: library, options: options, counter: counter)
    let operation = RecordedOperation(.import, ofLibrary: library, archives: [backup.path])
    return isDryRun
      ? try run.run(backup) : try environment.ledger.recording(operation) { try run.run(backup) }
  }

  private static func problem(of backup: OpenedBackup, _ summary: ImportSummary) -> String {
    let findings = summary.errors + summary.missingWithoutDamage
    let first = findings.first.map { " (\($0.message))" } ?? ""
    return
      ("\(backup.path) is damaged: \(Count(findings.count, "finding"))\(first); repair the file, or move it out of the inbox")
      .escaped
  }

  private func warnings(of backup: OpenedBackup, _ summary: ImportSummary) -> [String] {
    let notices = summary.changedInLibrary.map(\.message) + summary.warnings
    var warnings = notices.prefix(Self.mostWarnings).map { "\(backup.path): \($0)".escaped }
    if notices.count > Self.mostWarnings {
      warnings.append(
        "\(backup.path): \(Count(notices.count - Self.mostWarnings, "more notice"))".escaped)
    }
    let latest = Timestamp(now) + ArchiveDescriptor.clockTolerance
    if let date = backup.metadata.exportDate, date > latest {
      warnings.append(
        "\(backup.path) is dated \(date.iso8601), in the future; check the clock of the phone".escaped)
    }
    return warnings
  }

  private static let mostWarnings = 10
}
