import Glibc
import SystemPackage

/// The programs that smilepile starts for work on untrusted bytes.
package enum HelperProgram {
  /// Finds a program beside the running one, or in `../libexec/smilepile`, where `scripts/install` puts it. Follows
  /// `/proc/self/exe`, so that a link to the running program may be anywhere.
  ///
  /// - Returns: the first path that this user may execute (`X_OK`), or nil. Checks neither its owner nor what it is.
  package static func find(_ name: String) -> FilePath? {
    guard let folder = FilePath("/proc/self/exe").realPath?.removingLastComponent() else { return nil }
    let places = [
      folder.appending(name), folder.removingLastComponent().appending("libexec/smilepile").appending(name),
    ]
    return places.first { access($0.string, X_OK) == 0 }
  }

  /// The variables of such a program. It gets no others: some make libraries load files.
  package static var environment: [String] {
    let path = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=\(String(cString: $0))" }
    return ["LC_ALL=C.UTF-8"] + [path].compactMap(\.self)
  }
}
