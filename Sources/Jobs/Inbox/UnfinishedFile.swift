import FileSystem
import Foundation
import Operations
import PhotoLibrary
import SystemPackage

/// Why a file in an inbox is probably still being written. A later run looks at the file again.
package enum UnfinishedFile: Sendable, Equatable {
  /// Its name is that of an unfinished file of another program.
  case temporaryName
  /// A process has it open for writing.
  case openForWriting
  /// It was modified within the last minute.
  case modified
  /// It is a ZIP archive without an end record, or empty, and was modified within the last day.
  case noEnd

  /// The reason, for a message.
  package var reason: String {
    switch self {
    case .temporaryName: "its name is that of an unfinished file"
    case .openForWriting: "a program has it open for writing"
    case .modified: "it was modified within the last minute"
    case .noEnd: "its end is missing"
    }
  }

  /// How long a file stays unchanged before it is imported, in milliseconds.
  static let settlingTime: Int64 = 60_000
  /// How long the end of an archive may be missing before it counts as unreadable, in milliseconds.
  static let longestPause: Int64 = 24 * 3_600_000

  /// Returns the time after which a file counts as unchanged for a minute; nil if it already does.
  ///
  /// The status change time is that of this machine, whatever the clock of the phone says. A time that is more than a
  /// minute in the future tells nothing, so that a wrong clock does not delay the import.
  static func settlingEnd(of status: FileStatus, now: Date) -> Timestamp? {
    let recent = (Timestamp(now) - settlingTime)..<(Timestamp(now) + settlingTime)
    return [status.modified, status.changed].filter(recent.contains).max().map { $0 + settlingTime }
  }

  /// Returns true if an archive without an end may be an upload that continues later.
  static func mayContinue(_ status: FileStatus, now: Date) -> Bool {
    let recent = (Timestamp(now) - longestPause)..<(Timestamp(now) + longestPause)
    return [status.modified, status.changed].contains(where: recent.contains)
  }

  /// Returns true if the name is one that a program gives a file while it writes it. Hidden files, such as those of rsync,
  /// Syncthing and the Nextcloud client, are not listed at all.
  ///
  /// | name | program |
  /// |---|---|
  /// | `~syncthing~NAME.tmp` | Syncthing on Windows |
  /// | `NAME.ocTransferId123.part`, `NAME.part` | Nextcloud server, Firefox |
  /// | `NAME.partial`, `NAME.1a2b3c4d.partial` | rclone, Edge |
  /// | `NAME.filepart` | WinSCP |
  /// | `NAME.crdownload`, `NAME.download`, `NAME.opdownload` | Chrome, Safari, Opera |
  /// | `NAME.tmp`, `NAME.temp`, `NAME.upload`, `NAME~` | others, also over Samba |
  static func isTemporary(_ name: FilePath) -> Bool {
    let name = name.string.lowercased()
    return name.hasPrefix(".") || name.hasPrefix("~") || name.hasSuffix("~")
      || temporaryExtensions.contains { name.hasSuffix(".\($0)") }
  }

  private static let temporaryExtensions = [
    "part", "partial", "filepart", "crdownload", "download", "opdownload", "tmp", "temp", "upload",
  ]
}
