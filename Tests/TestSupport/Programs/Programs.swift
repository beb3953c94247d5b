import Foundation
import Processes
import SystemPackage

/// Finds and runs programs: those of this package, and those of the machine.
package enum Programs {
  /// Returns the path of a program that was built beside the tests; nil if it is missing.
  package static func built(_ name: String) -> String? {
    let tests = ["/proc/self/exe", CommandLine.arguments.first ?? "", Bundle.main.bundlePath]
    let folders = tests.flatMap { test in
      let url = URL(fileURLWithPath: test).resolvingSymlinksInPath()
      return [url, url.deletingLastPathComponent()]
    }
    return folders.map { $0.appendingPathComponent(name).path }.first {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue
        && FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  /// Returns true if a program is in PATH, so that a test that needs it can run. With `SMILEPILE_NEEDS_ALL`, returns true
  /// for every program, so that the test fails if it is missing.
  package static func has(_ name: String) -> Bool { needsAll || ChildProcess.find(name) != nil }

  /// True if tests must fail instead of being skipped.
  package static let needsAll = ProcessInfo.processInfo.environment["SMILEPILE_NEEDS_ALL"] != nil

  /// The path of strace; nil if it is missing or the machine does not permit tracing.
  package static let strace: String? = {
    let isPermitted = (try? run("strace", ["-qq", "-e", "trace=none", "true"]).status) == 0
    return isPermitted ? ChildProcess.find("strace") : nil
  }()

  /// The status of a program that SIGKILL ended.
  package static let killed = 128 + Int(SIGKILL)

  /// How a program ended, and what it printed.
  package struct Result: Sendable {
    /// The exit status; 128 and the number of the signal if a signal ended the program.
    package let status: Int
    /// What it printed to standard output.
    package let output: String
    /// What it printed to standard error.
    package let errors: String

    /// Everything that it printed, for the message of a failed test.
    package var text: String { output + errors }
  }

  /// A program ended with a status other than 0.
  package struct Failure: Error {
    /// The program and its arguments.
    package let command: [String]
    /// How it ended.
    package let result: Result
  }

  /// Runs a program to its end. Its standard input is empty.
  ///
  /// - Parameters:
  ///   - program: a path, or a name in PATH.
  ///   - folder: the folder in which it runs; nil for that of this process.
  ///   - environment: variables that are added to those of this process.
  /// - Throws: `ChildProcess.Failure` if the program cannot be started.
  package static func run(
    _ program: String, _ arguments: [String], in folder: FilePath? = nil, environment: [String: String] = [:]
  ) throws -> Result {
    let path = program.contains("/") ? program : ChildProcess.find(program)
    guard let path else { throw ChildProcess.Failure.notRun(errno: ENOENT) }
    var process = ChildProcess(path, arguments)
    if let folder {
      process = ChildProcess("/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", folder.string, path] + arguments)
    }
    process.environment = environment
    process.input = .bytes([])
    process.capture = .separate
    guard let result = try process.output(limit: 1 << 28) else {
      throw ChildProcess.Failure.notRun(errno: EFBIG)
    }
    return Result(
      status: result.status, output: String(decoding: result.output, as: UTF8.self),
      errors: String(decoding: result.errors, as: UTF8.self))
  }

  /// Runs a program to its end, and returns what it prints to standard output.
  ///
  /// - Throws: `Failure` if it ends with another status than 0; otherwise as `run`.
  @discardableResult
  package static func output(
    _ program: String, _ arguments: [String], in folder: FilePath? = nil, environment: [String: String] = [:]
  ) throws -> String {
    let result = try run(program, arguments, in: folder, environment: environment)
    guard result.status == 0 else { throw Failure(command: [program] + arguments, result: result) }
    return result.output
  }

  /// Runs a command line of the shell to its end, and returns what it prints to standard output.
  ///
  /// - Throws: `Failure` if it ends with another status than 0; otherwise as `run`.
  @discardableResult
  package static func shell(_ command: String, in folder: FilePath) throws -> String {
    try output("/bin/sh", ["-c", command], in: folder)
  }

  /// Returns the allocated bytes of a folder and everything in it. du(1)
  package static func diskUsage(of folder: FilePath) throws -> Int {
    let text = try output("du", ["--summarize", "--block-size=1", folder.string])
    return Int(text.prefix { $0 != "\t" }) ?? -1
  }

  /// Returns what the installed archive programs complain about in an archive.
  package static func complaints(about archive: FilePath) throws -> [String] {
    let tools = [["unzip", "-tq"], ["7z", "t"], ["bsdtar", "-tf"], ["python3", "-m", "zipfile", "-t"]]
    return try tools.filter { has($0[0]) }.compactMap { tool in
      let result = try run(tool[0], tool.dropFirst() + [archive.string])
      // Python's zipfile reports a corrupt entry and ends with 0
      let isIntact = result.status == 0 && !result.text.contains("corrupted")
      return isIntact ? nil : "\(tool[0]): \(result.text.suffix(500))"
    }
  }
}
