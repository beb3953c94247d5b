import FileSystem
import SystemPackage

/// The folder of the jobs' state, and the variables with which a service finds the same folders as the user's shell.
package struct ServiceFolders: Sendable, Equatable {
  /// The folder of `StateFolder`.
  package var state: FilePath
  /// The variables with which a service finds the state folder and the user's other files.
  package var variables: [String: String]

  /// Finds the folders of the user who has these variables.
  /// systemd.exec(5), https://specifications.freedesktop.org/basedir-spec/latest/
  package init(_ environment: [String: String]) {
    let home = UserAccount.home(environment)
    state =
      if let path = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
        FilePath(String(path))
      } else {
        UserAccount.folder("XDG_STATE_HOME", default: ".local/state", environment).appending("smilepile")
      }
    variables = [
      "HOME": home, "STATE_DIRECTORY": state.string,
      // libdispatch would log for each thread that its niceness cannot exceed 19
      "LIBDISPATCH_LOG": "NO",
    ]
  }
}
