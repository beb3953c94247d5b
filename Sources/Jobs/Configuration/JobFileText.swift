import FileSystem
import SystemPackage

/// The text of a job file.
enum JobFileText {
  /// Reads a job file.
  ///
  /// - Throws: `JobFile.Invalid` if the file is too long or not UTF-8; `OwnershipError` if other users can change it;
  ///   `FileError` if it cannot be read.
  static func read(_ path: FilePath) throws -> String {
    let file = try File.open(path, .readFollowingLinks)
    let status = try file.status()
    guard status.kind == .file else { throw fault(path, "it is not a file") }
    try Ownership.require(file)
    guard let bytes = try file.contents(atMost: JobFile.maximumBytes) else {
      throw fault(path, "it has \(status.size) bytes; a job file has at most \(JobFile.maximumBytes)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw fault(path, "it is not UTF-8") }
    return text
  }

  private static func fault(_ path: FilePath, _ message: String) -> JobFile.Invalid {
    JobFile.Invalid(path: path, faults: [JobFile.Fault(line: 0, message: message)])
  }
}
