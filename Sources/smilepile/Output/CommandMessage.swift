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
    case .waitForLock: "use --lock-wait to wait for it"
    case .givePassword:
      "give its password with --password-file, --password-command, --password-fd or SMILEPILE_PASSWORD, or at a "
        + "terminal"
    case .givePIN: "give it with --pin-file, --pin-command, --pin-fd or SMILEPILE_PIN, or at a terminal"
    case .setPIN: "set one with: smilepile pin set"
    case .changePIN: "change it with: smilepile pin change"
    case .createLibrary(let path): "make one with: smilepile init \(path.shellQuoted)".escaped
    case .nameLibrary: "add “library:” to the job, or use -l"
    case .nameJobFile: "write one, or name it with --config"
    case .listLibrary: "smilepile photos shows them"
    case .listArchive: "smilepile inspect shows them"
    case .repairArchive: "run smilepile repair"
    case .salvageEncrypted: "run smilepile import --salvage, and export the library with --encrypt"
    case .repairLibrary: "run smilepile repair -l"
    case .extractPhotos(let path):
      "smilepile extract \(path.shellQuoted) --to FOLDER writes them as files".escaped
    case .importPhotosFromFolder: "import it with --photos-from"
    case .overwriteChanged: "--overwrite if-changed replaces it"
    case .exportArchive: "export an archive with --format zip"
    case .merge: "import it with --strategy merge"
    case .shortenName: "give a shorter one with -o"
    }
  }
}
