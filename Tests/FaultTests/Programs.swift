import Foundation

/// Finds and runs programs of this package and of the machine.
enum Programs {
  /// Returns the path of a program that was built beside the tests; nil if it is missing.
  static func built(_ name: String) -> String? {
    let tests = ["/proc/self/exe", CommandLine.arguments.first ?? "", Bundle.main.bundlePath]
    let folders = tests.flatMap { test in
      let url = URL(fileURLWithPath: test).resolvingSymlinksInPath()
      return [url, url.deletingLastPathComponent()]
    }
    return folders.map { $0.appendingPathComponent(name).path }.first {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue
    }
  }

  /// Returns the path of a program in PATH; nil if it is missing.
  static func installed(_ name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
  }

  /// Runs a program to its end. Returns its exit status and its output, which is written to a file since a pipe could
  /// fill up.
  static func run(_ path: String, _ arguments: [String], in folder: String) throws -> (Int32, String) {
    let output = folder + "/output.txt"
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOfFile: output, encoding: .utf8))
  }

  /// The path of strace; nil if it is missing or the machine does not permit tracing.
  static let strace: String? = {
    guard let path = installed("strace"),
      let result = try? run(path, ["-qq", "-e", "trace=none", "true"], in: NSTemporaryDirectory()),
      result.0 == 0
    else { return nil }
    return path
  }()
}
