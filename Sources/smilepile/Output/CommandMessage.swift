import FileSystem
import Operations

/// The message of an error or finding, with its remedy as an option or a command.
enum CommandMessage {
  /// One line.
  static func text(of error: any Error) -> String { Remedy.message(of: error, text) }

  /// One line.
  static func text(of finding: Finding) -> String {
    finding.remedy.map { "\(finding.message); \(text(of: $0))" } ?? finding.message
  }

  private static func text(of remedy: Remedy) -> String {
    switch remedy {
    case .waitForLock: "use --lock-wait SECONDS to wait"
    case .givePassword:
      "give the password with --password-file, --password-command, --password-fd or SMILEPILE_PASSWORD, or at a "
        + "terminal"
    case .givePIN: "give the PIN with --pin-file, --pin-command, --pin-fd or SMILEPILE_PIN, or at a terminal"
    case .setPIN: "run smilepile pin set"
    case .changePIN: "run smilepile pin change"
    case .createLibrary(let path): "run smilepile init \(path.shellQuoted)".escaped
    case .nameLibrary: "add “library:” to the job"
    case .nameJobFile: "use --config FILE"
    case .listLibrary: "run smilepile photos to list categories and photos"
    case .rebuildLibrary(let path): "run smilepile rebuild -l \(path.shellQuoted)".escaped
    case .verifyArchive(let path): "run smilepile verify \(path.shellQuoted)".escaped
    case .runBackup(let job): "run smilepile backup \(job)"
    case .testRestore(let job): "run smilepile drill \(job)"
    case .installSchedule: "write a job file and run smilepile schedule install"
    case .nameArchive:
      "use --from ARCHIVE, or --without-archive to use only the photo files and what can be read of the database"
    case .moveOrRemovePhotos: "use --move-to CATEGORY or --with-photos"
    case .listArchive: "run smilepile inspect to list the categories"
    case .repairArchive: "run smilepile repair ARCHIVE"
    case .salvageEncrypted: "use smilepile import --salvage"
    case .repairLibrary: "run smilepile repair -l"
    case .replaceOrRemovePhotos: "run smilepile repair -l with an archive that has it, or smilepile remove"
    case .extractPhotos(let path):
      "run smilepile extract \(path.shellQuoted) --to FOLDER".escaped
    case .importPhotosFromFolder: "use smilepile import --photos-from FOLDER"
    case .overwriteChanged: "use --overwrite if-changed to replace it"
    case .exportArchive: "use --format zip"
    case .merge: "use --strategy merge"
    case .increaseEntryLimit: "use --max-entries"
    case .increaseByteLimit: "use --max-bytes"
    case .shortenName: "use -o with a shorter name"
    case .archiveLibrary: "run smilepile export --verify, or use --force"
    case .actAsOwner: "run smilepile as its owner, or as root with --as-owner"
    case .trustFolder(let path): "use --trust \(path.shellQuoted) if you trust these users".escaped
    }
  }
}
