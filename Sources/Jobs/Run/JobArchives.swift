import Backup
import Foundation
import PhotoLibrary

extension Catalog {
  /// The archives of a job that its password opens, oldest first.
  func archives(of job: Job) -> [ArchiveRecord] {
    archives.filter { $0.tags.contains(job.name) && !$0.isLocked }
  }
}

extension ArchiveRecord {
  /// How far apart the clocks of two computers may be that share a folder, in milliseconds.
  private static let clockSkew: Int64 = 60_000

  /// Whether it was made under a clock that went ahead, so that it says nothing of today.
  func isAhead(of now: Date) -> Bool { date > now.milliseconds + Self.clockSkew }
}
