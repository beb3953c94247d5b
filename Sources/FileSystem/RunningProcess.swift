import Glibc
import SystemPackage

/// A snapshot of a process of this machine. proc(5)
package struct RunningProcess: Sendable {
  /// The parent, or the process that adopted it.
  package let parent: pid_t
  /// Its process group.
  package let group: pid_t
  /// True if it has ended, and its parent has not waited for it yet.
  package let isZombie: Bool

  /// Reads `/proc/ID/stat`; returns nil if the process does not exist or access is denied.
  package init?(_ id: pid_t) {
    guard let file = try? File.open(FilePath("/proc/\(id)/stat"), .readFollowingLinks),
      let bytes = try? file.read(4096, at: 0)
    else { return nil }
    // the name of the command, in parentheses, may contain any character
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ")
    guard let fields, fields.count > 2, let parent = pid_t(fields[1]), let group = pid_t(fields[2])
    else { return nil }
    (self.parent, self.group, isZombie) = (parent, group, fields[0] == "Z")
  }

  /// Returns whether a process is an ancestor of this one.
  package static func isAncestor(_ id: pid_t) -> Bool {
    var ancestor = getppid()
    while ancestor > 0, ancestor != id { ancestor = RunningProcess(ancestor)?.parent ?? 0 }
    return ancestor > 0
  }
}
