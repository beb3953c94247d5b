import Glibc

/// A process of this machine, as it was when it was examined. proc(5)
package struct RunningProcess: Sendable {
  /// The process that started it, or that adopted it since.
  package let parent: pid_t
  /// Its process group.
  package let group: pid_t
  /// It has ended, and its parent has not waited for it yet.
  let isZombie: Bool

  /// Reads `/proc/ID/stat`; nil if there is no such process, or this process may not examine it.
  package init?(_ id: pid_t) {
    // the command's name, in parentheses, may be anything
    let fields = Self.text(of: "/proc/\(id)/stat")?.split(separator: ")").last?.split(separator: " ")
    guard let fields, fields.count > 2, let parent = pid_t(fields[1]), let group = pid_t(fields[2])
    else { return nil }
    (self.parent, self.group, isZombie) = (parent, group, fields[0] == "Z")
  }

  /// Returns true if a process is the parent of this process, or an ancestor of the parent.
  package static func isAncestor(_ id: pid_t) -> Bool {
    var ancestor = getppid()
    while ancestor > 0, ancestor != id { ancestor = RunningProcess(ancestor)?.parent ?? 0 }
    return ancestor > 0
  }

  /// Returns true if a process runs under this user, and its program has the name of that of this process.
  package static func isOfThisProgram(_ id: pid_t) -> Bool {
    guard let own = owner(of: getpid()), let other = owner(of: id) else { return false }
    return own == other
  }

  /// Reads the program's name and the user IDs from `/proc/ID/status`, which every user may read.
  private static func owner(of id: pid_t) -> [String]? {
    let lines = text(of: "/proc/\(id)/status")?.split(separator: "\n") ?? []
    let found = lines.filter { $0.hasPrefix("Name:") || $0.hasPrefix("Uid:") }.map(String.init)
    return found.count == 2 ? found : nil
  }

  private static func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Returns true if a process group has a member that has not ended.
  static func hasMember(group: pid_t) -> Bool {
    guard kill(-group, 0) == 0 || errno == EPERM else { return false }
    guard let folder = opendir("/proc") else { return true }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let process = pid_t(name).flatMap(RunningProcess.init), process.group == group, !process.isZombie {
        return true
      }
    }
    return false
  }
}
