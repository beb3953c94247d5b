import Glibc

/// The limit of open files is lower than this process needs.
package struct OpenFileLimitError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The limit.
  let allowed: Int
  /// The number of open files that are needed.
  package let needed: Int

  /// One line, with the remedy.
  package var description: String {
    "only \(allowed) files may be open at a time, and \(needed) are needed; increase the limit (ulimit -n \(needed))"
  }

  /// Raises the soft limit of open files if it is lower than `count`. Throws if the hard limit is lower too.
  /// setrlimit(2)
  package static func requireFiles(_ count: Int) throws(OpenFileLimitError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    if limit.rlim_cur < count, limit.rlim_max >= count {
      var raised = limit
      raised.rlim_cur = rlim_t(count)
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { return }
    }
    let allowed = Int(clamping: limit.rlim_cur)
    if allowed < count { throw OpenFileLimitError(allowed: allowed, needed: count) }
  }
}
