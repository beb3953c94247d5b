import Backup
import SystemPackage

/// What is to be backed up, where to, and how: one entry of the job file.
package struct Job: Sendable, Equatable {
  /// What it is called; every archive it makes bears this as a tag.
  package var name: String
  /// The library's folder; nil if the command line or the environment has to name it.
  package var library: FilePath?
  /// It stands, for once, in the place of the one that the job file names: a run of it leaves the job's status alone.
  package var isOtherLibrary = false
  /// Where its archives go; the first is written, the others are copies.
  package var destinations: [JobDestination] = []
  /// Categories by name; all if empty.
  package var categories: [String] = []
  /// Photos taken at this moment or later, in milliseconds since 1970.
  package var since: Int64?
  /// Photos taken before this moment, in milliseconds since 1970.
  package var until: Int64?
  /// The library's settings travel.
  package var includesSettings = true
  /// Where the password comes from that the archives are encrypted with; nil for none.
  package var password: PasswordSource?
  /// Takes a password that is easily guessed.
  package var allowsWeakPassword = false
  /// Reads every archive back before it gets its name.
  package var verifies = true
  /// Archives hold only what is new since the one before; so many of them on one full archive, nil for full ones.
  package var maximumChain: Int?
  /// Archives that phones can read, as many as that takes.
  package var splitsForPhones = false
  /// More tags of its archives.
  package var tags: [String] = []
  /// Who may read the archives, as chmod(1) has it; nil for their owner alone.
  package var permissions: UInt16?
  /// Which archives stay; nil for all.
  package var retention: RetentionPolicy?
  /// When it runs by the clock; nil for only when somebody runs it.
  package var schedule: Schedule?
  /// When it is proven by the clock that its archives restore; nil for never.
  package var drill: Schedule?
  /// What is run beside it.
  package var hooks = Hooks()
  /// How many photos a drill restores; nil for all.
  package var drillSample: Int? = 100
  /// Where its status is written for others, as JSON.
  package var statusFile: FilePath?
  /// Where its status is written for Prometheus' node exporter.
  package var prometheusFile: FilePath?
  /// How long to wait for another run of it, or for a writer of its library, in seconds.
  package var lockWait = 60.0

  /// A job of this name that does nothing yet.
  package init(name: String) { self.name = name }

  /// Has every destination lie on a mounted file system; one that has to be at a place of its own keeps to that.
  package mutating func requireMounts() {
    for index in destinations.indices where destinations[index].requiredMount == nil {
      destinations[index].requiredMount = .any
    }
  }

  /// The tags of its archives: its own name first.
  package var archiveTags: [String] { [name] + tags.filter { $0 != name } }

  /// What is wrong with a job's name, nil for nothing: it becomes the name of files and units.
  static func fault(inName name: String) -> String? {
    let isPlain = name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isPlain, (1...64).contains(name.utf8.count), !name.hasPrefix("-") else {
      return "“\(name)” cannot be a job's name: letters, digits, - and _, at most 64"
    }
    return nil
  }
}

/// A folder that archives go to.
package struct JobDestination: Sendable, Equatable {
  /// The folder.
  package var path: FilePath
  /// It has to lie on a mounted file system, or nothing is written: an empty mount point is a folder on the root's
  /// disk.
  package var requiredMount: RequiredMount?
  /// A file that has to be in it, which tells the right disk from another.
  package var marker: String?

  /// What has to be mounted.
  package enum RequiredMount: Sendable, Equatable {
    /// Any file system that is not the root's.
    case any
    /// One at this very place.
    case at(FilePath)
  }

  /// A folder, with nothing required of it but to be there.
  package init(path: FilePath) { self.path = path }
}

/// Where the password of a job comes from. The password itself stands in no job file.
package enum PasswordSource: Sendable, Equatable {
  /// The first line of a file.
  case file(FilePath)
  /// The first line that a shell command prints.
  case command(String)
}

/// Shell commands that are run beside a backup, with the facts in their environment.
package struct Hooks: Sendable, Equatable {
  /// Before anything is looked at, as to mount a disk. If it fails, nothing is backed up.
  package var before: String?
  /// After a backup that is complete.
  package var after: String?
  /// After one that is not, or that failed.
  package var onFailure: String?
  /// Last of all, whatever came of it, as to unmount a disk.
  package var finally: String?
  /// After so many seconds a command is ended.
  package var timeLimit = 600.0

  /// None.
  package init() {}
}
