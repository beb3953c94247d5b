import FileSystem
import PhotoLibrary

extension Job {
  /// Returns why a run cannot use the library, the password file or a destination now. These are not mistakes in the job
  /// file: a disk may be mounted later. Blocks; reads only.
  package func problems() -> [String] {
    var checks: [() throws -> Void] = destinations.map { destination in { try destination.check() } }
    if let library { checks.append { _ = try Library(path: library) } }
    if case .file(let path) = password { checks.append { _ = try File.open(path, .readFollowingLinks) } }
    return checks.compactMap { check in
      do {
        try check()
        return nil
      } catch {
        return "job “\(name)”: \(JobMessage.text(of: error))".escaped
      }
    }
  }
}
