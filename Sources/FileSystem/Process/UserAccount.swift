import Glibc
import SystemPackage

/// A user in the system's user database. getpwuid(3).
package struct UserAccount: Sendable, Equatable {
  /// The login name.
  package let name: String
  /// The ID of the primary group.
  package let group: UInt32
  /// The path of the home folder.
  package let home: String

  /// Looks up a user; returns nil if the user has no account. May block for as long as a directory service takes.
  package init?(id: UInt32) {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    name = String(cString: entry.pw_name)
    group = entry.pw_gid
    home = String(cString: entry.pw_dir)
  }

  /// Returns the home folder of this user: `$HOME`, or that of the account if the variable is missing or empty; `/`
  /// without an account. May block for as long as a directory service takes.
  ///
  /// - Parameter environment: the variables of the process.
  package static func home(_ environment: [String: String]) -> String {
    if let home = environment["HOME"], !home.isEmpty { return home }
    return UserAccount(id: geteuid())?.home ?? "/"
  }

  /// Returns a folder of the XDG specification: that of a variable, or a default one in the home folder.
  /// Ignores a relative path, as the specification says. https://specifications.freedesktop.org/basedir-spec/latest/
  package static func folder(
    _ variable: String, default name: String, _ environment: [String: String]
  ) -> FilePath {
    if let path = environment[variable], path.hasPrefix("/") { return FilePath(path) }
    return FilePath(home(environment)).appending(name)
  }

  /// Returns the name of a user in a message, or the ID if the user has no account.
  package static func label(of id: UInt32) -> String { UserAccount(id: id)?.name ?? "user \(id)" }
}
