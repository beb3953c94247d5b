import FileSystem
import PhotoLibrary

extension Job {
  /// Returns why a run cannot use the library, the password file or a destination now. These are not mistakes in the job
  /// file: a disk may be mounted later. Blocks; reads only.
  package func problems() -> [String] {
    var checks: [() throws -> Void] = destinations.map { destination in { try destination.check() } }
    if let library {
      checks += inboxes.map { inbox in { _ = try inbox.open(outside: library, destinations.map(\.path)) } }
    }
    if let library { checks.append { _ = try Library(path: library) } }
    switch password {
    case .file(let path)?: checks.append { try Ownership.require(File.open(path, .readFollowingLinks)) }
    case .command(let command)?: checks.append { try ShellPrograms.requireOwnership(in: command) }
    case nil: break
    }
    for command in hooks.commands {
      checks.append { try ShellPrograms.requireOwnership(in: command) }
    }
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
