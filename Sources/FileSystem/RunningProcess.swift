import Glibc
import SystemPackage

/// A process of this machine, as it stood when it was looked at. proc(5)
package struct RunningProcess: Sendable {
  /// Who has started it, or has taken it over since.
  package let parent: pid_t
  /// Its process group.
  package let group: pid_t
  /// It has ended, and nobody has waited for it yet.
  package let isZombie: Bool

  /// Reads `/proc/ID/stat`; nil if there is no such process, or it may not be looked at.
  package init?(_ id: pid_t) {
    guard let file = try? File.open(FilePath("/proc/\(id)/stat"), .readFollowingLinks),
      let bytes = try? file.read(4096, at: 0)
    else { return nil }
    // the command's name, in parentheses, may be anything
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ")
    guard let fields, fields.count > 2, let parent = pid_t(fields[1]), let group = pid_t(fields[2])
    else { return nil }
    (self.parent, self.group, isZombie) = (parent, group, fields[0] == "Z")
  }

  /// Whether a process has started this one, or one of those from which this one comes.
  package static func isAncestor(_ id: pid_t) -> Bool {
    var ancestor = getppid()
    while ancestor > 0, ancestor != id { ancestor = RunningProcess(ancestor)?.parent ?? 0 }
    return ancestor > 0
  }
}
