import Gallery
import PhotoLibrary
import SystemPackage

/// One entry of the job file: what to back up, where to, and how.
package struct Job: Sendable, Equatable {
  /// The job's name, which is a tag of every archive of the job.
  package var name: String
  /// The library's folder; nil if the command line or the environment gives it.
  package var library: FilePath?
  /// True if the command line replaces the job's own library for one run. The run leaves the job's status unchanged.
  package var usesOtherLibrary = false
  /// The folders of the archives. A run exports to the first and copies to the others.
  package var destinations: [JobDestination] = []
  /// The folders whose backups a run imports before it exports.
  package var inboxes: [Inbox] = []
  /// The names of the selected categories; empty for all.
  package var categories: [String] = []
  /// The times when selected photos were taken.
  package var taken = TakenRange()
  /// True if archives contain the library's settings.
  package var includesSettings = true
  /// The source of the password that encrypts the archives; nil for no encryption.
  package var password: PasswordSource?
  /// Allows a password that is easily guessed.
  package var allowsWeakPassword = false
  /// Verifies every archive before publication.
  package var verifies = true
  /// The maximum chain depth of incremental backups; nil for full backups only.
  package var maximumChainDepth: Int?
  /// Splits a backup into archives that phones can read.
  var splitsForPhones = false
  /// Adds a thumbnail of each photo to the archives.
  package var includesThumbnails = false
  /// The appearance of the gallery in the archives; nil for none.
  package var gallery: Gallery.Style?
  /// Additional tags of the archives.
  package var tags: [String] = []
  /// The permissions of the archives, in the form of chmod(1); nil for access by the owner only.
  package var permissions: UInt16?
  /// The retention policy; nil to keep all archives.
  package var retention: RetentionPolicy?
  /// The schedule of backups; nil for manual backups.
  package var schedule: Schedule?
  /// The schedule of restore tests; nil for none.
  package var restoreTestSchedule: Schedule?
  /// Folders in which the job uses files although other users can write to them.
  var trustedFolders: [FilePath] = []
  /// The commands that run before and after a backup.
  package var hooks = Hooks()
  /// The number of photos that a restore test restores; nil for all.
  package var restoreTestSample: Int? = 100
  /// The path of the JSON status file for other programs.
  package var statusFile: FilePath?
  /// The path of the status page.
  var reportFile: FilePath?
  /// The path of the metrics file for Prometheus' node exporter.
  package var prometheusFile: FilePath?
  /// The maximum wait in seconds for another run of the job or for another writer of its library.
  package var lockWait = 60.0

  /// Makes a job with default values.
  package init(name: String) { self.name = name }

  /// Requires a mounted file system for every destination. A destination with its own required mount point keeps it.
  package mutating func requireMounts() {
    for index in destinations.indices where destinations[index].requiredMount == nil {
      destinations[index].requiredMount = .any
    }
  }

  /// The tags of the job's archives. The job's name is the first.
  package var archiveTags: [String] { [name] + tags.filter { $0 != name } }

  /// Returns why a job's name is invalid, or nil. The name is part of the names of files and units.
  static func fault(inName name: String) -> String? {
    let isPlain = name.unicodeScalars.allSatisfy {
      switch $0 {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
      default: false
      }
    }
    guard isPlain, (1...64).contains(name.utf8.count), !name.hasPrefix("-") else {
      return "“\(name)” is not a job name; use at most 64 letters, digits, - and _"
    }
    return nil
  }
}

/// A folder that receives archives.
package struct JobDestination: Sendable, Equatable {
  /// The folder.
  package var path: FilePath
  /// The mount that a run requires before it writes. An empty mount point is a folder on the root's disk.
  package var requiredMount: RequiredMount?
  /// The name of a sentinel file in the folder, which identifies the right disk.
  package var sentinel: String?

  /// The mount that a destination requires.
  package enum RequiredMount: Sendable, Equatable {
    /// Any file system that is not the root's.
    case any
    /// The file system with this mount point.
    case at(FilePath)
  }

  /// Makes a destination that only has to exist.
  package init(path: FilePath) { self.path = path }
}

/// The source of a job's password. A job file never contains the password itself.
package enum PasswordSource: Sendable, Equatable {
  /// The first line of a file.
  case file(FilePath)
  /// The first line that a shell command prints.
  case command(String)
}

/// Shell commands that run before and after a backup. Their environment describes the run.
package struct Hooks: Sendable, Equatable {
  /// Runs before all phases, for example to mount a disk. If the command fails, nothing is backed up.
  package var before: String?
  /// Runs after a complete backup.
  package var after: String?
  /// Runs after an incomplete or failed backup.
  package var onFailure: String?
  /// Runs last, whatever the outcome, for example to unmount a disk.
  package var finally: String?
  /// The time limit in seconds, after which a command is terminated.
  package var timeLimit = 600.0

  /// All commands.
  var commands: [String] { [before, after, onFailure, finally].compactMap(\.self) }
}
