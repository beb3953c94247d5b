import FileSystem
import Glibc
import SystemPackage

/// Changes the user of this process to the owner of a library. Then a mistake or an attack in the library has only the
/// permissions of its owner, and the process creates no file of root.
enum LibraryOwner {
  /// The process cannot become the owner of a library.
  enum Fault: Error, CustomStringConvertible {
    case notRoot
    case unknownUser(UInt32, FilePath)
    case notPermitted(String, errno: CInt)

    /// Describes the error and its remedy in one line.
    var description: String {
      switch self {
      case .notRoot: "only root can use --as-owner; run the command as the owner of the library"
      case .unknownUser(let id, let path):
        "\(path) belongs to user \(id), who has no account; use chown -R to give it another owner".escaped
      case .notPermitted(let name, let errno):
        "cannot become the user \(name): \(String(cString: strerror(errno)))".escaped
      }
    }
  }

  /// Becomes the owner of a folder, with the owner's groups and home, for the rest of this process. Does nothing if this
  /// user owns the folder. initgroups(3), setgid(2), setuid(2).
  ///
  /// - Throws: `Fault`, or `FileError` if the folder cannot be opened.
  static func become(of path: FilePath) throws {
    let owner = try Directory.open(path).status().owner
    guard owner != geteuid() else { return }
    guard geteuid() == 0 else { throw Fault.notRoot }
    guard let account = UserAccount(id: owner) else { throw Fault.unknownUser(owner, path) }
    // the groups first, since only root can change them; of root, setgid(2) and setuid(2) set the saved IDs, too
    guard initgroups(account.name, account.group) == 0, setgid(account.group) == 0, setuid(owner) == 0 else {
      throw Fault.notPermitted(account.name, errno: errno)
    }
    setenv("HOME", account.home, 1)
    setenv("USER", account.name, 1)
    setenv("LOGNAME", account.name, 1)
    for folder in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "STATE_DIRECTORY"] { unsetenv(folder) }
  }
}
