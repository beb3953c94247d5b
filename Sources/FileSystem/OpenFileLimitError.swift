import Glibc

/// This process may not have as many files open at a time as it needs.
package struct OpenFileLimitError: Error, Sendable, Equatable, CustomStringConvertible {
  /// How many it may have.
  package let allowed: Int
  /// How many it needs.
  package let needed: Int

  /// One line, with the remedy.
  package var description: String {
    "only \(allowed) files may be open at a time, and \(needed) are needed; raise that (ulimit -n \(needed))"
  }

  /// Sees to it that so many may be open, those that are open already among them: a lower limit is raised as far as this
  /// process may. setrlimit(2)
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
